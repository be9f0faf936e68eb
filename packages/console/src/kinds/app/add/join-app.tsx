/** Adds an application by a new agent: says what it is, gives the command to run near it, and waits until it has joined. */
import type { App } from '@gatehouse/contract/kinds/app/apps';
import { RESOURCE_ID_LABEL } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { isLoopbackHost } from '@gatehouse/contract/std/loopback-host';
import { Notice } from '@gatehouse/design/notice';
import { StatusDot } from '@gatehouse/design/status-dot';
import AppWindow from 'lucide-react/icons/app-window';
import { useState } from 'react';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useUser } from '../../../platform/sign-in/user.ts';
import styles from '../../../shared/enrolment/joining.module.css';
import { OnItsWay } from '../../../shared/enrolment/on-its-way.tsx';
import { PublicAddress } from '../../../shared/enrolment/public-address.tsx';
import { useJoined } from '../../../shared/resource-list/resource-queries.ts';
import { APPS } from '../app-queries.ts';
import { OpenCell } from '../open/open-cell.tsx';
import { AppCommand, type AppToken } from './app-command.tsx';
import { JoinAppForm } from './join-app-form.tsx';

export function JoinApp({ clusterId }: { clusterId: string }) {
  const t = useTranslate();
  const { cluster } = useUser();
  const [token, setToken] = useState<AppToken>();
  const isLocal = cluster.publicURL === '' && isLoopbackHost(window.location.hostname);
  const warning = token?.warning;
  return (
    <>
      {(isLocal || warning !== undefined) && <PublicAddress warning={warning} />}
      <ol className={styles.steps}>
        <li className={styles.step} data-done={token ? '' : undefined}>
          <h3 className={styles.heading}>{t('add-app.what')}</h3>
          <JoinAppForm token={token} onToken={setToken} />
        </li>
        {token ? (
          <TokenSteps token={token} clusterId={clusterId} onAgain={() => setToken(undefined)} />
        ) : (
          <>
            <li className={styles.step} data-off="">
              <h3 className={styles.heading}>{t('add-app.run')}</h3>
              <p className={styles.lead}>{t('add-app.run-later')}</p>
            </li>
            <li className={styles.step} data-off="">
              <h3 className={styles.heading}>{t('add-app.join')}</h3>
              <p className={styles.lead}>{t('add-app.join-later')}</p>
            </li>
          </>
        )}
      </ol>
      {token?.resourceId === '' && <Notice tone="warn">{t('add-server.not-watched')}</Notice>}
    </>
  );
}

interface TokenStepsProps {
  token: AppToken;
  clusterId: string;
  onAgain: () => void;
}

function TokenSteps({ token, clusterId, onAgain }: TokenStepsProps) {
  const t = useTranslate();
  const joined = useJoined(APPS, clusterId, RESOURCE_ID_LABEL, token.resourceId).data ?? [];
  const done = joined.length > 0 ? '' : undefined;
  return (
    <>
      <li className={styles.step} data-done={done}>
        <h3 className={styles.heading}>{t('add-app.run')}</h3>
        <AppCommand token={token} onAgain={onAgain} />
      </li>
      <li className={styles.step} data-done={done}>
        <h3 className={styles.heading}>{t('add-app.join')}</h3>
        <JoinedApps joined={joined} />
      </li>
    </>
  );
}

function JoinedApps({ joined }: { joined: readonly App[] }) {
  const t = useTranslate();
  return (
    <div className={styles.joined}>
      <div role="status">
        {joined.length === 0 && (
          <OnItsWay icon={AppWindow} title={t('add-app.waiting')} text={t('add-app.waiting-text')} />
        )}
        {joined.map((app) => (
          <div key={app.name} className={styles.joinedRow}>
            <StatusDot state="ok">{t('add-app.joined', { app: app.name })}</StatusDot>
          </div>
        ))}
      </div>
      {joined.length > 0 && (
        <div className={styles.joinedEnds}>
          {joined.map((app) => (
            <OpenCell key={app.name} app={app} />
          ))}
        </div>
      )}
    </div>
  );
}
