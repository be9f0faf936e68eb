/** Who was in the session, and when they came and went. */
import type { RecordingDetails } from '@gatehouse/contract/recordings/recordings';
import { Avatar } from '@gatehouse/design/avatar';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import styles from './side-panel.module.css';

export function People({ details: { users, owner } }: { details: RecordingDetails }) {
  const t = useTranslate();
  return (
    <ul className={styles.people}>
      {users.map((user) => (
        <li key={user} className={styles.person}>
          <Avatar name={user} size="medium" />
          <span className={styles.personName}>
            <bdi>{user}</bdi>
            <span className={styles.faint}>{t(user === owner ? 'player.owner' : 'player.joined')}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}
