/** Under a list: whether it is live, how many there are, and the keys that work on it. */
import { StatusDot } from '@gatehouse/design/status-dot';
import { TableFoot } from '@gatehouse/design/table-foot';
import { formatNumber } from '../../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import { LIST_KEYS } from '../../../../shared/resource-list/list-keys.ts';
import styles from '../browse.module.css';
import type { RowList } from '../rows/row-store.ts';

export function ListFoot({ list, shown }: { list: RowList; shown: number }) {
  const t = useTranslate();
  const { isListed, isLive, isCut, changes } = list;
  return (
    <TableFoot
      keys={[
        { keys: LIST_KEYS.move, word: t('kube-browse.key-move') },
        { keys: LIST_KEYS.details, word: t('kube-browse.key-details') },
        { keys: LIST_KEYS.act, word: t('kube-browse.key-open') },
        { keys: LIST_KEYS.search, word: t('kube-browse.key-search') },
        { keys: LIST_KEYS.all, word: t('kube-browse.key-all') },
      ]}
    >
      <span className={styles.live} role="status">
        <StatusDot state={!isListed ? 'busy' : isLive ? 'ok' : 'off'}>
          {t(!isListed ? 'kube-browse.listing' : isLive ? 'kube-browse.live' : 'kube-browse.not-live')}
        </StatusDot>
        <span className={styles.faint}>
          {t('kube-browse.count', { shown: formatNumber(shown) })}
          {isCut && ` ${t('kube-browse.cut')}`}
        </span>
        {changes > 0 && <span className={styles.faint}>{t('kube-browse.changes', { changes })}</span>}
      </span>
    </TableFoot>
  );
}
