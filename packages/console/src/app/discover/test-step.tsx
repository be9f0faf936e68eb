/** A connection as somebody who may use it, hop by hop, before anybody relies on it. */

import type { ConnectionDiagnostic } from '@gatehouse/contract/sessions/diagnostics';
import { Button } from '@gatehouse/design/button';
import { useCallback, useState } from 'react';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useOwnUser } from '../../platform/sign-in/user.ts';
import { TestOutcome } from '../../shared/connection-steps/test-outcome.ts';
import type { FlowCode } from '../../shared/enrolment/flow.ts';
import { useFlow } from '../../shared/enrolment/flow-place.tsx';
import { StepBody, StepFoot } from '../../shared/enrolment/step-parts.tsx';
import { tellStep } from './discover-events.ts';
import { EarlierTests } from './earlier-tests.tsx';
import styles from './flow-screen.module.css';

export function TestStep({ code: { Test } }: { code: FlowCode }) {
  const t = useTranslate();
  const { clusterId, thing, go, next, run, keep } = useFlow();
  const { userAcl } = useOwnUser();
  const [said, setSaid] = useState<ConnectionDiagnostic>();
  // Where it stands is found again under way.
  const tell = useCallback(
    (heard: ConnectionDiagnostic | undefined) => {
      setSaid(heard);
      if (heard) keep({ stopped: heard.success ? '' : heard.message });
    },
    [keep],
  );
  if (!thing) return null;
  const skip = () => {
    tellStep('test', run, 'DISCOVER_STATUS_SKIPPED');
    go('done');
  };
  const mayTest = userAcl.connectionDiagnostic.create;
  return (
    <>
      <StepBody
        title={t('discover.test-title', { name: thing.name })}
        lead={t(mayTest ? 'discover.test-lead' : 'discover.test-may-not')}
        aside={mayTest && <EarlierTests latest={said?.id} />}
      >
        {mayTest && (
          <div className={styles.test}>
            <TestOutcome value={tell}>
              <Test clusterId={clusterId} id={thing.id} />
            </TestOutcome>
          </div>
        )}
      </StepBody>
      <StepFoot>
        {!said?.success && <Button onClick={skip}>{t('discover.test-skip')}</Button>}
        <Button tone="primary" onClick={() => next()}>
          {t('discover.next')}
        </Button>
      </StepFoot>
    </>
  );
}
