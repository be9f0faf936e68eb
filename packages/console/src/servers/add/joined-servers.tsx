/** Waits for what joins with a token, and offers to connect to it. */
import type { Node } from '@gatehouse/contract/nodes/nodes';
import { Icon } from '@gatehouse/design/icon';
import { Mark } from '@gatehouse/design/mark';
import { StatusDot } from '@gatehouse/design/status-dot';
import Server from 'lucide-react/icons/server';
import { useWords } from '../../words/words.ts';
import { ConnectCell, type Connecting } from '../connect/connect-cell.tsx';
import styles from './add-server.module.css';

interface JoinedServersProps {
  joined: readonly Node[];
  connecting: Connecting;
}

export function JoinedServers({ joined, connecting }: JoinedServersProps) {
  const t = useWords();
  return (
    <div className={styles.joined}>
      <div role="status">
        {joined.length === 0 && <Waiting />}
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

/** The server on its way to the gateway. */
function Waiting() {
  const t = useWords();
  return (
    <div className={styles.waiting}>
      <span className={styles.path} aria-hidden="true">
        <span className={styles.end}>
          <Icon of={Server} size={20} />
        </span>
        <span className={styles.dots} />
        <span className={styles.end} data-goal="">
          <Mark size={20} />
        </span>
      </span>
      <div>
        <b>{t('add-server.waiting')}</b>
        <p className={styles.lead}>{t('add-server.waiting-text')}</p>
      </div>
    </div>
  );
}
