/** In place of a terminal that was not opened: why, what to do next, and each step of the way tried again on request. */
import { SpinnerRing } from '@gatehouse/design/spinner';
import { StatusCard } from '@gatehouse/design/status-card';
import { TextButton } from '@gatehouse/design/text-link';
import { type ReactNode, Suspense, useState } from 'react';
import { asSentence } from '../../../platform/i18n/formats.ts';
import { lazyPart } from '../../../platform/i18n/lazy-part.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useUser } from '../../../platform/sign-in/user.ts';
import { CopyValue } from '../../../shared/resource-panel/copy-value.tsx';
import type { Refused } from '../session/terminal-socket.ts';
import { type Pane, paneName } from '../workspace/tabs.ts';
import styles from './refused-card.module.css';

/** A connection was tried and failed: its steps say where. */
const TRIED = new Set(['target_unreachable', 'unavailable', 'denied']);

interface RefusedCardProps {
  pane: Pane;
  refused: Refused;
  actions: ReactNode;
}

export function RefusedCard({ pane, refused, actions }: RefusedCardProps) {
  const t = useTranslate();
  const { userAcl } = useUser();
  const [isTesting, setTesting] = useState(false);
  const { code, message, next, requestId } = refused;
  const mayTest = userAcl.connectionDiagnostic.create && TRIED.has(code) && pane.login !== '' && pane.sid === undefined;
  return (
    <div className={styles.place}>
      <div role="status" className={styles.middle}>
        <StatusCard
          tone="bad"
          level={2}
          title={t('terminal.refused-title', { name: paneName(pane) })}
          actions={actions}
          className={styles.card}
        >
          <p>{asSentence(message)}</p>
          {next && !isTesting && (
            <p className={styles.next}>
              <b>{t('terminal.refused-next')}</b> {asSentence(next)}
            </p>
          )}
          {mayTest && !isTesting && (
            <p>
              <TextButton onClick={() => setTesting(true)}>{t('terminal.test')}</TextButton>
            </p>
          )}
          {isTesting && (
            <Suspense fallback={<SpinnerRing size="small" />}>
              <ServerTest clusterId={pane.clusterId} server={pane.server} login={pane.login} />
            </Suspense>
          )}
          {requestId && (
            <p className={styles.quote}>
              {t('terminal.request-id')} <CopyValue value={requestId} name={t('terminal.request-id')} />
            </p>
          )}
        </StatusCard>
      </div>
    </div>
  );
}

const ServerTest = lazyPart(
  () => import('./server-test.tsx').then((file) => file.ServerTest),
  ['server-panel', 'connection-steps', 'servers'],
);
