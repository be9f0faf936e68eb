/** A link that was just made: when it ends, to be copied, and how to hand it over. */
import { formatDateTime } from '@gatehouse/contract/dates';
import { CopyField } from '@gatehouse/design/copy-field';
import { Notice } from '@gatehouse/design/notice';
import { formatRelative } from '../words/formats.ts';
import { useWords } from '../words/words.ts';
import { useWorld } from '../world/world.tsx';
import styles from './users.module.css';

export interface Link {
  user: string;
  link: string;
  expires: string;
  kind: 'invite' | 'reset';
}

export function MadeLink({ user, link, expires, kind }: Link) {
  const t = useWords();
  const { now } = useWorld();
  return (
    <div className={styles.stack}>
      <Notice tone="warn" announce="none">
        {t('users.link-once')}
      </Notice>
      <CopyField label={t(kind === 'invite' ? 'users.invite-link' : 'users.reset-link', { user })} value={link} />
      <p className={styles.lead}>
        {t('users.link-by-hand', { user })}{' '}
        {t('users.link-expires', {
          when: formatRelative(Date.parse(expires), now()),
          time: formatDateTime(expires),
        })}
      </p>
    </div>
  );
}
