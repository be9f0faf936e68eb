/** Tries a connection and tells every step: what worked, how long it took, what failed and what to do next. */
import { type ConnectionDiagnostic, diagnosticRoutes } from '@gatehouse/contract/sessions/diagnostics';
import type { Body } from '@gatehouse/contract/wire/route';
import { Button } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import { TextField } from '@gatehouse/design/text-field';
import { TextButton } from '@gatehouse/design/text-link';
import Activity from 'lucide-react/icons/activity';
import { type ReactNode, type SubmitEvent, useContext, useEffect, useEffectEvent, useState } from 'react';
import { useApi } from '../../platform/browser/use-api.ts';
import { useAttempt } from '../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import styles from './connection-steps.module.css';
import { ConnectionSteps } from './connection-steps.tsx';
import { diagnosedSteps, type NamedStep } from './diagnosed-steps.ts';
import { HopPicture, type TriedTarget } from './hop-picture.tsx';
import { TestOutcome } from './test-outcome.ts';
import { useFactor, type WantedConnection } from './use-factor.ts';
import { Verdict } from './verdict.tsx';

/** What is tried, as the calls name it. */
export interface TriedConnection {
  asked: Body<typeof diagnosticRoutes.connect>;
  factor: WantedConnection;
}

interface ConnectionTestProps {
  clusterId: string;
  steps: readonly NamedStep[];
  /** Before the first try. */
  lead: string;
  /** Nothing while something is missing, which the fields say. */
  wanted: () => TriedConnection | undefined;
  /** As whom; on one line with the button where it is one field. */
  fields: 'one' | 'several' | 'none';
  /** What is at the end of the way. */
  target: TriedTarget;
  /** Tried without being asked. */
  isAtOnce?: boolean;
  /** What was tried works. */
  onPassed?: (() => void) | undefined;
  children?: ReactNode;
}

export function ConnectionTest(props: ConnectionTestProps) {
  const { clusterId, steps, lead, wanted, fields, target, isAtOnce = false, onPassed, children } = props;
  const t = useTranslate();
  const api = useApi();
  const [said, setSaid] = useState<ConnectionDiagnostic>();
  const factor = useFactor(clusterId);
  const attempt = useAttempt();
  const tell = useContext(TestOutcome);

  const test = async () => {
    const tried = wanted();
    if (!tried) return;
    setSaid(undefined);
    tell(undefined);
    await attempt.run(async () => {
      const mfa_response = await factor.answer(tried.factor);
      if (mfa_response === 'wait') return;
      const body = mfa_response === 'none' ? tried.asked : { ...tried.asked, mfa_response };
      const diagnostic = await api(diagnosticRoutes.connect, { params: { clusterId }, body });
      setSaid(diagnostic);
      tell(diagnostic);
      if (diagnostic.success) onPassed?.();
    });
  };
  const begin = useEffectEvent(() => void (isAtOnce && test()));
  useEffect(() => begin(), []);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    void test();
  };
  return (
    <>
      <form className={fields === 'one' ? styles.testLine : styles.testStack} onSubmit={submit} noValidate>
        {children}
        {factor.isCodeAsked && (
          <TextField
            label={t('connection-steps.code')}
            hint={t('connection-steps.code-hint')}
            mono
            autoFocus
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={6}
            value={factor.code}
            onValueChange={factor.setCode}
          />
        )}
        <Button type="submit" icon={Activity} loading={attempt.isBusy} loadingWord={t('connection-steps.testing')}>
          {t(said ? 'connection-steps.test-again' : 'connection-steps.test')}
        </Button>
      </form>
      {factor.useCode && !attempt.isBusy && (
        <div>
          <TextButton onClick={factor.useCode}>{t('connection-steps.use-code')}</TextButton>
        </div>
      )}
      <div role="status" className={styles.result}>
        {said && <HopPicture target={target} said={said} clusterId={clusterId} />}
        {(said || attempt.isBusy) && <ConnectionSteps steps={diagnosedSteps(t, steps, said)} />}
        {said && <Verdict said={said} />}
      </div>
      {attempt.failure && <Notice tone="bad">{attempt.failure.message}</Notice>}
      {!said && !attempt.isBusy && !attempt.failure && <p className={styles.lead}>{lead}</p>}
    </>
  );
}
