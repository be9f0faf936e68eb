/** Adds a server: says what it is, gives the command to run on it, and waits until it has joined. */
import { RESOURCE_ID_LABEL } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { isLoopbackHost } from '@gatehouse/contract/std/loopback-host';
import { Button } from '@gatehouse/design/button';
import { Dialog } from '@gatehouse/design/dialog';
import { Notice } from '@gatehouse/design/notice';
import { useState } from 'react';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useUser } from '../../../platform/sign-in/user.ts';
import styles from '../../../shared/enrolment/joining.module.css';
import { PublicAddress } from '../../../shared/enrolment/public-address.tsx';
import { useJoined } from '../../../shared/resource-list/resource-queries.ts';
import type { Connecting } from '../connect/connect-cell.tsx';
import { SERVERS } from '../server-queries.ts';
import { JoinCommand, type JoinMethod, type MadeToken } from './join-command.tsx';
import { JoinForm } from './join-form.tsx';
import { JoinedServers } from './joined-servers.tsx';

interface AddServerDialogProps {
  clusterId: string;
  connecting: Connecting;
  onClose: () => void;
}

export function AddServerDialog({ clusterId, connecting, onClose }: AddServerDialogProps) {
  const t = useTranslate();
  const { cluster } = useUser();
  const [way, setWay] = useState<JoinMethod>('agent');
  const [token, setToken] = useState<MadeToken>();
  const isLocal = cluster.publicURL === '' && isLoopbackHost(window.location.hostname);
  const warning = token?.warning;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="large"
      title={t('servers.add')}
      footer={<Button onClick={onClose}>{t(token ? 'add-server.done' : 'add-server.cancel')}</Button>}
    >
      {(isLocal || warning !== undefined) && <PublicAddress warning={warning} />}
      <ol className={styles.steps}>
        <li className={styles.step} data-done={token ? '' : undefined}>
          <h3 className={styles.heading}>{t('add-server.what')}</h3>
          <JoinForm way={way} onWay={setWay} token={token} onToken={setToken} />
        </li>
        {token ? (
          <TokenSteps
            way={way}
            token={token}
            clusterId={clusterId}
            connecting={connecting}
            onAgain={() => setToken(undefined)}
          />
        ) : (
          <>
            <li className={styles.step} data-off="">
              <h3 className={styles.heading}>{t('add-server.run')}</h3>
              <p className={styles.lead}>{t('add-server.run-later')}</p>
            </li>
            <li className={styles.step} data-off="">
              <h3 className={styles.heading}>{t('add-server.join')}</h3>
              <p className={styles.lead}>{t('add-server.join-later')}</p>
            </li>
          </>
        )}
      </ol>
      {token?.resourceId === '' && <Notice tone="warn">{t('add-server.not-watched')}</Notice>}
    </Dialog>
  );
}

interface TokenStepsProps {
  way: JoinMethod;
  token: MadeToken;
  clusterId: string;
  connecting: Connecting;
  onAgain: () => void;
}

function TokenSteps({ way, token, clusterId, connecting, onAgain }: TokenStepsProps) {
  const t = useTranslate();
  const joined = useJoined(SERVERS, clusterId, RESOURCE_ID_LABEL, token.resourceId).data ?? [];
  const done = joined.length > 0 ? '' : undefined;
  return (
    <>
      <li className={styles.step} data-done={done}>
        <h3 className={styles.heading}>{t('add-server.run')}</h3>
        <JoinCommand way={way} token={token} onAgain={onAgain} />
      </li>
      <li className={styles.step} data-done={done}>
        <h3 className={styles.heading}>{t('add-server.join')}</h3>
        <JoinedServers joined={joined} connecting={connecting} />
      </li>
    </>
  );
}
