/** What became of each user: how many it was done for, and by name for whom not and why; links that were made. */
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { Button } from '@gatehouse/design/button';
import { CopyField } from '@gatehouse/design/copy-field';
import { Notice } from '@gatehouse/design/notice';
import { useCopy } from '@gatehouse/design/use-copy';
import Check from 'lucide-react/icons/check';
import Copy from 'lucide-react/icons/copy';
import { useBrowser } from '../../../platform/browser/browser-services.tsx';
import { asSentence, formatRelative } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { type Link, LocalLinkWarning } from '../made-link.tsx';
import styles from './bulk.module.css';
import type { Outcome } from './bulk-work.ts';

type Became = Outcome<Link | undefined>;

export function BulkOutcome({ outcomes }: { outcomes: readonly Became[] }) {
  const t = useTranslate();
  const failed = outcomes.filter(({ state }) => state === 'failed');
  const left = outcomes.filter(({ state }) => state === 'left');
  const done = outcomes.length - failed.length - left.length;
  const links = outcomes.flatMap(({ result }) => result ?? []);
  return (
    <div className={styles.stack}>
      <Notice tone={done > 0 ? 'ok' : 'info'}>{t('users-bulk.done', { count: done })}</Notice>
      {failed.length > 0 && (
        <section className={styles.failed} aria-label={t('users-bulk.failed', { count: failed.length })}>
          <h3 className={styles.title}>{t('users-bulk.failed', { count: failed.length })}</h3>
          <ul>
            {failed.map(({ row, reason = '' }) => (
              <li key={row.name}>
                <b>{row.name}</b> <span>{asSentence(reason)}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {left.length > 0 && (
        <section className={styles.failed} aria-label={t('users-bulk.left', { count: left.length })}>
          <h3 className={styles.title}>{t('users-bulk.left', { count: left.length })}</h3>
          <p>{left.map(({ row }) => row.name).join(', ')}</p>
        </section>
      )}
      {links.length > 0 && <Links links={links} />}
    </div>
  );
}

function Links({ links }: { links: readonly Link[] }) {
  const t = useTranslate();
  const { now } = useBrowser();
  const { state, copy } = useCopy();
  const [first] = links;
  const all = links.map(({ user, link }) => `${user}\t${link}`).join('\n');
  return (
    <section className={styles.stack} aria-label={t('users-bulk.links')}>
      <Notice tone="warn" announce="none">
        {t('users.link-once')}{' '}
        {first &&
          t('users-bulk.links-end', {
            when: formatRelative(Date.parse(first.expires), now()),
            time: formatDateTime(first.expires),
          })}
      </Notice>
      {first && <LocalLinkWarning link={first.link} user={first.user} />}
      <Button
        tone="primary"
        size="large"
        wide
        icon={state === 'copied' ? Check : Copy}
        onClick={() => void copy(`${all}\n`)}
      >
        {t(state === 'copied' ? 'users-bulk.copied' : 'users-bulk.copy-all')}
      </Button>
      <div className={styles.links}>
        {links.map(({ user, link, kind }) => (
          <CopyField
            key={user}
            label={t(kind === 'invite' ? 'users.invite-link' : 'users.reset-link', { user })}
            value={link}
          />
        ))}
      </div>
    </section>
  );
}
