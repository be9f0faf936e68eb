/** How a cell that a cluster printed is shown: states with a shape, what is ready as blocks, ages that pass. */
import type { KubeColumn } from '@gatehouse/contract/kinds/kube/browse';
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { Badge } from '@gatehouse/design/badge';
import { classNames, ONE_LINE } from '@gatehouse/design/class-names';
import { StatusDot } from '@gatehouse/design/status-dot';
import { useBrowser } from '../../../../platform/browser/browser-services.tsx';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import styles from '../browse.module.css';
import type { ShownRow } from '../rows/row-store.ts';
import { dotOf, isStatus, type ReadyCount, readyOf, shortAge } from './row-facts.ts';

/** More are told by the number alone. */
const MAX_BLOCKS = 8;

export function Ready({ ready, wanted }: ReadyCount) {
  const t = useTranslate();
  return (
    <span className={styles.ready}>
      {wanted > 1 && wanted <= MAX_BLOCKS && (
        <span className={styles.blocks} aria-hidden="true">
          {Array.from({ length: wanted }, (_, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: they are told apart by their place alone
            <span key={at} className={classNames(styles.block, at >= ready && styles.missing)} />
          ))}
        </span>
      )}
      {t('kube-browse.ready-of', { ready, wanted })}
    </span>
  );
}

export function Age({ created }: { created: string }) {
  const { now } = useBrowser();
  if (created === '') return null;
  return <span title={formatDateTime(created)}>{shortAge(created, now())}</span>;
}

export function NameCell({ row, isInner = false }: { row: ShownRow; isInner?: boolean }) {
  const t = useTranslate();
  const isGone = row.mark === 'gone';
  return (
    <span className={classNames(styles.name, isInner && styles.inner, isGone && styles.gone)} title={row.name}>
      <span className={ONE_LINE}>{row.name}</span>
      {row.mark !== undefined && !isGone && <Badge tone="info">{t(`kube-browse.mark-${row.mark}`)}</Badge>}
      {isGone && <Badge>{t('kube-browse.mark-gone')}</Badge>}
    </span>
  );
}

export function PrintedCell({ row, column, at }: { row: ShownRow; column: KubeColumn; at: number }) {
  const cell = row.cells[at];
  if (column.name === 'Age') return <Age created={row.created} />;
  if (cell === null || cell === undefined || cell === '') return <span className={styles.none}>–</span>;
  const ready = column.name === 'Ready' || column.name === 'Completions' ? readyOf(cell) : undefined;
  if (ready) return <Ready {...ready} />;
  const text = String(cell);
  if (isStatus(row, column)) {
    const said = row.isEnding ? 'Terminating' : text;
    return (
      <span className={styles.status} title={text}>
        <StatusDot state={dotOf(said)}>{said}</StatusDot>
      </span>
    );
  }
  return (
    <span className={classNames(ONE_LINE, styles.cell)} title={text}>
      {text}
    </span>
  );
}
