/** Tries the way to something before it is saved: each hop, where it stops, and what to do about it. */
import { type ConnectionDiagnostic, diagnosticRoutes } from '@gatehouse/contract/sessions/diagnostics';
import type { Body } from '@gatehouse/contract/wire/route';
import { Button } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import Activity from 'lucide-react/icons/activity';
import { useState } from 'react';
import { useApi } from '../../platform/browser/use-api.ts';
import { useAttempt } from '../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useUserOf } from '../../platform/sign-in/user.ts';
import styles from './connection-steps.module.css';
import { ConnectionSteps } from './connection-steps.tsx';
import { diagnosedSteps, type NamedStep, type ShownToTake } from './diagnosed-steps.ts';
import { HopPicture, type TriedTarget } from './hop-picture.tsx';
import { Verdict } from './verdict.tsx';

interface DraftTestProps {
  clusterId: string;
  /** Those that would be taken, in their order. */
  steps: readonly NamedStep[];
  /** As the call names it; nothing while what was typed is no address. */
  wanted: Body<typeof diagnosticRoutes.draft> | undefined;
  target: TriedTarget;
  toTake?: ShownToTake;
}

/** Nothing for who may not test. */
export function DraftTest(props: DraftTestProps) {
  const { userAcl } = useUserOf(props.clusterId);
  return userAcl.connectionDiagnostic.create ? <Offered {...props} /> : null;
}

interface Said {
  /** What was tested, as a text: the same as long as nothing of it was changed. */
  of: string;
  target: TriedTarget;
  diagnostic: ConnectionDiagnostic;
}

function Offered({ clusterId, steps, wanted, target, toTake }: DraftTestProps) {
  const t = useTranslate();
  const api = useApi();
  const attempt = useAttempt();
  const [said, setSaid] = useState<Said>();
  const of = JSON.stringify(wanted);
  const isOld = said !== undefined && said.of !== of;
  const shown = isOld || attempt.isBusy ? undefined : said;
  const test = async () => {
    if (!wanted) return;
    setSaid(undefined);
    await attempt.run(async () => {
      const diagnostic = await api(diagnosticRoutes.draft, { params: { clusterId }, body: wanted });
      setSaid({ of, target, diagnostic });
    });
  };
  const lead = isOld ? 'connection-steps.draft-changed' : 'connection-steps.draft-lead';
  return (
    <section className={styles.draft} aria-label={t('connection-steps.draft')}>
      <div className={styles.draftHead}>
        <h3>{t('connection-steps.draft')}</h3>
        <Button
          icon={Activity}
          disabled={!wanted}
          disabledReason={t('connection-steps.draft-address')}
          loading={attempt.isBusy}
          loadingWord={t('connection-steps.testing')}
          onClick={() => void test()}
        >
          {t(shown ? 'connection-steps.test-again' : 'connection-steps.test-draft')}
        </Button>
      </div>
      <div role="status" className={styles.result}>
        {shown && <HopPicture target={shown.target} said={shown.diagnostic} clusterId={clusterId} />}
        {(shown || attempt.isBusy) && <ConnectionSteps steps={diagnosedSteps(t, steps, shown?.diagnostic, toTake)} />}
        {shown && <Verdict said={shown.diagnostic} />}
      </div>
      {attempt.failure && <Notice tone="bad">{attempt.failure.message}</Notice>}
      {!shown && !attempt.isBusy && !attempt.failure && <p className={styles.lead}>{t(lead)}</p>}
    </section>
  );
}
