/** Who a root is, in a line, and what keeps it away. */
import type { TrustedClusterItem } from '@gatehouse/contract/reach/trusted-clusters/trusted-clusters';
import { formatDate } from '@gatehouse/contract/std/dates';
import { Notice } from '@gatehouse/design/notice';
import { asSentence } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { CopyValue } from '../../../shared/resource-panel/copy-value.tsx';
import styles from './trust.module.css';

export function RootFacts({ item }: { item: TrustedClusterItem }) {
  const t = useTranslate();
  const { name, address, rootName = name, rootKey, created, status, trouble } = item;
  return (
    <section className={styles.part}>
      {status !== 'online' && trouble && (
        <Notice tone={status === 'ended' ? 'bad' : 'warn'} announce="none" className={styles.trouble}>
          {asSentence(trouble)}
          {status === 'ended' && ` ${t('trust.ended-text')}`}
        </Notice>
      )}
      <p className={styles.lead}>{t('trust.lead', { root: rootName, name })}</p>
      <dl className={styles.facts}>
        {address && (
          <div>
            <dt>{t('trust.address')}</dt>
            <dd>
              <code>{address}</code>
            </dd>
          </div>
        )}
        {created && (
          <div>
            <dt>{t('trust.joined-on')}</dt>
            <dd>{formatDate(created)}</dd>
          </div>
        )}
        {rootKey && (
          <div>
            <dt>{t('trust.key')}</dt>
            <dd>
              <CopyValue value={rootKey} name={t('trust.key')} />
            </dd>
          </div>
        )}
      </dl>
    </section>
  );
}
