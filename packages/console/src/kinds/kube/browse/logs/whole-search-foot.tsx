/** How far a search through whole logs is, and the ways out of it. */
import { Button } from '@gatehouse/design/button';
import { formatBytes, formatNumber } from '../../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import styles from './logs.module.css';
import type { WholeSearch } from './use-whole-search.ts';

export function WholeSearchFoot({ search }: { search: WholeSearch }) {
  const t = useTranslate();
  const { hits, searched, isOver, isCut, around, stop, leave, pick } = search;
  const { found, lines, bytes } = searched;
  const isGone = around?.isOver && around.place === undefined;
  return (
    <footer className={styles.foot}>
      <span role="status">
        {t('kube-logs.whole-found', { count: found, lines: formatNumber(lines), size: formatBytes(bytes) })}
        {!isOver && ` ${t('kube-logs.searching')}`}
        {isCut && ` ${t('kube-logs.whole-cut')}`}
        {found > hits.length && ` ${t('kube-logs.whole-shown', { count: formatNumber(hits.length) })}`}
        {isGone && ` ${t('kube-logs.whole-gone')}`}
      </span>
      <span className={styles.paused}>
        {!isOver && (
          <Button size="small" onClick={stop}>
            {t('kube-logs.whole-stop')}
          </Button>
        )}
        {around && (
          <Button size="small" onClick={() => pick(undefined)}>
            {t('kube-logs.whole-hits')}
          </Button>
        )}
        <Button size="small" tone="primary" onClick={leave}>
          {t('kube-logs.whole-leave')}
        </Button>
      </span>
    </footer>
  );
}
