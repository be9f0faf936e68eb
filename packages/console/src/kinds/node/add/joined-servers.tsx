/** Waits for what joins with a token, and offers to connect to it. */
import type { Node } from '@gatehouse/contract/kinds/node/nodes';
import { StatusDot } from '@gatehouse/design/status-dot';
import Server from 'lucide-react/icons/server';
import { useTranslate } from '../../../platform/i18n/words.ts';
import styles from '../../../shared/enrolment/joining.module.css';
import { OnItsWay } from '../../../shared/enrolment/on-its-way.tsx';
import { ConnectCell, type Connecting } from '../connect/connect-cell.tsx';

interface JoinedServersProps {
  joined: readonly Node[];
  connecting: Connecting;
}

export function JoinedServers({ joined, connecting }: JoinedServersProps) {
  const t = useTranslate();
  return (
    <div className={styles.joined}>
      <div role="status">
        {joined.length === 0 && (
          <OnItsWay icon={Server} title={t('add-server.waiting')} text={t('add-server.waiting-text')} />
        )}
        {joined.map((node) => (
          <div key={node.id} className={styles.joinedRow}>
            <StatusDot state="ok">{t('add-server.joined', { server: node.hostname })}</StatusDot>
          </div>
        ))}
      </div>
      {joined.length > 0 && (
        <div className={styles.joinedEnds}>
          {joined.map((node) => (
            <ConnectCell key={node.id} node={node} connecting={connecting} />
          ))}
        </div>
      )}
    </div>
  );
}
