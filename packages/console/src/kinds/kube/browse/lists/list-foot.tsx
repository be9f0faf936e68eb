/** Under a list: whether it is live, how many there are, and the keys that work on it. */
import { StatusDot } from '@gatehouse/design/status-dot';
import { TableFoot } from '@gatehouse/design/table-foot';
import { useStore } from '../../../../platform/browser/store.ts';
import { formatNumber } from '../../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import { LIST_KEYS } from '../../../../shared/resource-list/list-keys.ts';
import styles from '../browse.module.css';
import { useBrowse } from '../browse.ts';
import type { RowList } from '../rows/row-store.ts';

const DOTS = { lost: 'off', listing: 'busy', live: 'ok', 'not-live': 'off' } as const;

export function ListFoot({ list, shown }: { list: RowList; shown: number }) {
  const t = useTranslate();
  const { isListed, isLive, isCut, changes } = list;
  const { line } = useStore(useBrowse().view);
  // What was live before the line was lost stands still now.
  const state = line.is !== 'ready' ? 'lost' : !isListed ? 'listing' : isLive ? 'live' : 'not-live';
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
        <StatusDot state={DOTS[state]}>{t(`kube-browse.${state === 'lost' ? 'line-off' : state}`)}</StatusDot>
        <span className={styles.faint}>
          {t('kube-browse.count', { shown: formatNumber(shown) })}
          {isCut && ` ${t('kube-browse.cut')}`}
        </span>
        {changes > 0 && <span className={styles.faint}>{t('kube-browse.changes', { changes })}</span>}
      </span>
    </TableFoot>
  );
}
