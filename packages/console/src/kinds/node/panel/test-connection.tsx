/** Tries a connection as some login and tells every step: what worked, how long it took, what failed and what to do next. */

import { nodeKind } from '@gatehouse/contract/kinds/node/node-kind';
import type { Node } from '@gatehouse/contract/kinds/node/nodes';
import { type ConnectionDiagnostic, diagnosticRoutes } from '@gatehouse/contract/sessions/diagnostics';
import { Button } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import { TextField } from '@gatehouse/design/text-field';
import { TextButton } from '@gatehouse/design/text-link';
import Activity from 'lucide-react/icons/activity';
import { type SubmitEvent, useEffect, useEffectEvent, useId, useState } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useAttempt } from '../../../platform/failures/use-attempt.ts';
import { asSentence } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useUser } from '../../../platform/sign-in/user.ts';
import { ConnectionSteps } from '../../../shared/connection-steps/connection-steps.tsx';
import { diagnosedSteps } from '../../../shared/connection-steps/diagnosed-steps.ts';
import type { LoginMemory } from '../connect/login-memory.ts';
import { offeredLogins } from '../connect/logins.ts';
import styles from './server-panel.module.css';
import { useFactor } from './use-factor.ts';

type Step = (typeof nodeKind.testSteps)[number];

interface TestConnectionProps {
  node: Node;
  memory: LoginMemory;
  /** Tried at once as this login, and as no other. */
  as?: string;
}

export function TestConnection({ node, memory, as }: TestConnectionProps) {
  const t = useTranslate();
  const api = useApi();
  const { userName } = useUser();
  const listId = useId();
  const offered = offeredLogins(node, memory, userName);
  const [login, setLogin] = useState(as ?? offered[0]?.login ?? '');
  const [isChecked, setChecked] = useState(false);
  const [said, setSaid] = useState<ConnectionDiagnostic>();
  const factor = useFactor(node);
  const attempt = useAttempt();

  const test = async () => {
    setChecked(true);
    const ssh_principal = login.trim();
    if (ssh_principal === '') return;
    setSaid(undefined);
    await attempt.run(async () => {
      const mfa_response = await factor.answer(ssh_principal);
      if (mfa_response === 'wait') return;
      const asked = { resource_kind: 'node', resource_name: node.id, ssh_principal };
      const body = mfa_response === 'none' ? asked : { ...asked, mfa_response };
      setSaid(await api(diagnosticRoutes.connect, { params: { clusterId: node.siteId }, body }));
    });
  };
  const named = (step: Step) => ({ step, title: t(`server-panel.step-${step}`) });
  const begin = useEffectEvent(() => void (as !== undefined && test()));
  useEffect(() => begin(), []);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    void test();
  };
  return (
    <>
      <form className={as === undefined ? styles.testForm : styles.testAs} onSubmit={submit} noValidate>
        {as === undefined && (
          <>
            <TextField
              label={t('servers.login')}
              mono
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              list={listId}
              value={login}
              onValueChange={setLogin}
              error={isChecked && login.trim() === '' ? t('server-panel.login-missing') : undefined}
            />
            <datalist id={listId}>
              {offered.map((each) => (
                <option key={each.login} value={each.login} />
              ))}
            </datalist>
          </>
        )}
        {factor.isCodeAsked && (
          <TextField
            label={t('server-panel.code')}
            hint={t('server-panel.code-hint')}
            mono
            autoFocus
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={6}
            value={factor.code}
            onValueChange={factor.setCode}
          />
        )}
        <Button type="submit" icon={Activity} loading={attempt.isBusy} loadingWord={t('server-panel.testing')}>
          {t(said ? 'server-panel.test-again' : 'server-panel.test')}
        </Button>
      </form>
      {factor.useCode && !attempt.isBusy && (
        <div>
          <TextButton onClick={factor.useCode}>{t('server-panel.use-code')}</TextButton>
        </div>
      )}
      <div role="status" className={styles.result}>
        {(said || attempt.isBusy) && <ConnectionSteps steps={diagnosedSteps(t, stepsOf(node).map(named), said)} />}
        {said && <Verdict said={said} />}
      </div>
      {attempt.failure && <Notice tone="bad">{attempt.failure.message}</Notice>}
      {!said && !attempt.isBusy && !attempt.failure && <p className={styles.lead}>{t('server-panel.test-lead')}</p>}
    </>
  );
}

/** An agent is on the machine itself: there is no port to dial and no SSH to speak. */
function stepsOf({ gatehouse }: Node): readonly Step[] {
  return gatehouse?.type === 'agent' ? ['access', 'reach', 'login'] : nodeKind.testSteps;
}

function Verdict({ said }: { said: ConnectionDiagnostic }) {
  const t = useTranslate();
  // Said by the steps already, unless it failed before the first of them.
  const isTold = said.traces?.some(({ status }) => status === 'FAILED');
  if (said.success) return <p className={styles.worked}>{t('server-panel.test-worked')}</p>;
  return isTold ? null : <Notice tone="bad">{asSentence(said.message)}</Notice>;
}
