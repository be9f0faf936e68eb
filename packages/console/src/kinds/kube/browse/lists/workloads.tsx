/** All that runs pods, in one list, with the pods under each. */
import type { KubeColumn } from '@gatehouse/contract/kinds/kube/browse';
import { classNames } from '@gatehouse/design/class-names';
import { Icon } from '@gatehouse/design/icon';
import { type DotState, StatusDot } from '@gatehouse/design/status-dot';
import type { Column } from '@gatehouse/design/table-head';
import ChevronRight from 'lucide-react/icons/chevron-right';
import { useCallback, useMemo, useState } from 'react';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import type { UsedAddress } from '../address.ts';
import styles from '../browse.module.css';
import { PODS, WORKLOADS } from '../kinds.ts';
import type { ListPart, RowList, ShownRow } from '../rows/row-store.ts';
import { useRows } from '../use-rows.ts';
import { Age, NameCell, Ready } from './cells.tsx';
import { ListFoot } from './list-foot.tsx';
import { ListProblems } from './list-problems.tsx';
import { dotOf, isTrouble } from './row-facts.ts';
import { RowTable } from './row-table.tsx';
import { AGE_SORT, byName, byOwner, NAME_SORT, NAMESPACE_SORT, ownerKey, ownKey, shownRows } from './shown-rows.ts';
import { useRowSource } from './use-row-source.ts';
import { type WorkState, workState } from './work-state.ts';

interface WorkRow extends ShownRow {
  state: WorkState;
  isInner: boolean;
  /** How many stand under it. */
  parts: number;
  isOpen: boolean;
}

const NOT_FOUND = 404;
const STATUS_WORDS = {
  ok: 'kube-browse.work-ok',
  busy: 'kube-browse.work-busy',
  warn: 'kube-browse.work-some',
  bad: 'kube-browse.work-none',
  off: 'kube-browse.work-off',
} as const satisfies Record<DotState, string>;

export function Workloads({ namespaces, used }: { namespaces: readonly string[]; used: UsedAddress }) {
  const t = useTranslate();
  const { search, isTrouble: only, sort } = used.address;
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const parts = useMemo(
    () => namespaces.flatMap((namespace) => WORKLOADS.map((kind): ListPart => ({ kind, namespace }))),
    [namespaces],
  );
  const podParts = useMemo(() => namespaces.map((namespace): ListPart => ({ kind: PODS, namespace })), [namespaces]);
  const list = useRows(parts);
  const pods = useRows(podParts);
  const rows = useMemo(
    () => workRows(list, pods, { search, only, sort, open }),
    [list, pods, search, only, sort, open],
  );
  const source = useRowSource(rows, `${namespaces.join()} ${search} ${only}`);
  const toggle = useCallback(
    (uid: string) =>
      setOpen((before) => {
        const next = new Set(before);
        if (!next.delete(uid)) next.add(uid);
        return next;
      }),
    [],
  );
  const columns = useMemo(
    (): Column<WorkRow>[] => [
      {
        id: 'name',
        title: t('kube-browse.name'),
        sortKey: NAME_SORT,
        width: '34%',
        cell: (row) => <NameCell row={row} isInner={row.isInner} />,
      },
      {
        id: 'pods',
        title: t('kube-browse.pods'),
        width: '84px',
        card: 'none',
        cell: (row) =>
          row.parts > 0 && (
            <button
              type="button"
              className={styles.toggle}
              aria-expanded={row.isOpen}
              aria-label={t('kube-browse.show-pods', { name: row.name, count: row.parts })}
              onClick={() => toggle(row.uid)}
            >
              <Icon of={ChevronRight} size={14} className={classNames(styles.chevron, row.isOpen && styles.down)} />
              {row.parts}
            </button>
          ),
      },
      {
        id: 'kind',
        title: t('kube-browse.kind'),
        card: 'subtitle',
        cell: ({ kind }) => <span className={styles.muted}>{kind.kind}</span>,
      },
      {
        id: 'namespace',
        title: t('kube-browse.namespace'),
        sortKey: NAMESPACE_SORT,
        card: 'start',
        cell: ({ namespace }) => namespace,
      },
      {
        id: 'ready',
        title: t('kube-browse.ready'),
        card: 'none',
        cell: ({ state }) =>
          state.ready ? <Ready {...state.ready} /> : <span className={styles.cell}>{state.text}</span>,
      },
      {
        id: 'status',
        title: t('kube-browse.status'),
        card: 'end',
        cell: ({ state, isInner }) => (
          <span className={styles.status}>
            <StatusDot state={state.dot}>{isInner ? state.text : t(STATUS_WORDS[state.dot])}</StatusDot>
          </span>
        ),
      },
      {
        ...{ id: 'age', title: t('kube-browse.age'), sortKey: AGE_SORT, align: 'end', width: '72px', card: 'none' },
        cell: ({ created }) => <Age created={created} />,
      },
    ],
    [t, toggle],
  );
  return (
    <>
      {/* An old cluster has not all of these kinds, and nothing is wrong with that. */}
      <ListProblems list={{ ...list, failures: list.failures.filter(({ failure }) => failure.status !== NOT_FOUND) }} />
      <RowTable {...{ columns, source, list, used }} label={t('kube-browse.view-workloads')} />
      <ListFoot list={list} shown={rows.filter(({ isInner }) => !isInner).length} />
    </>
  );
}

interface WorkNarrowing {
  search: string;
  only: boolean;
  sort: UsedAddress['address']['sort'];
  open: ReadonlySet<string>;
}

const NO_COLUMNS: readonly KubeColumn[] = [];

function workRows(list: RowList, pods: RowList, { search, only, sort, open }: WorkNarrowing): WorkRow[] {
  const owned = byOwner([
    ...pods.rows.values(),
    ...[...list.rows.values()].filter(({ kind }) => kind.resource === 'jobs'),
  ]);
  const known = new Set([...list.rows.values()].map(ownKey));
  const rows: WorkRow[] = [];
  for (const row of shownRows({ ...list, columns: NO_COLUMNS }, { search, isTrouble: false, sort })) {
    // A job that something runs by the clock stands under that.
    const owner = ownerKey(row);
    if (owner !== undefined && known.has(owner)) continue;
    const state = workState(row);
    const parts = owned.get(ownKey(row)) ?? [];
    const isBad = state.dot === 'bad' || state.dot === 'warn' || parts.some((part) => isTrouble(pods.columns, part));
    if (only && !isBad) continue;
    const isOpen = open.has(row.uid);
    rows.push({ ...row, state, isInner: false, parts: parts.length, isOpen });
    if (!isOpen) continue;
    for (const part of byName(parts))
      rows.push({ ...part, state: partState(pods.columns, part), isInner: true, parts: 0, isOpen: false });
  }
  return rows;
}

function partState(columns: readonly KubeColumn[], row: ShownRow): WorkState {
  if (row.kind.resource !== 'pods') return workState(row);
  const cell = (name: string) => String(row.cells[columns.findIndex((column) => column.name === name)] ?? '');
  const text = row.isEnding ? 'Terminating' : cell('Status');
  const [, ready, wanted] = /^(\d+)\/(\d+)$/.exec(cell('Ready')) ?? [];
  const counts = wanted === undefined ? undefined : { ready: Number(ready), wanted: Number(wanted) };
  return { ready: counts, text, dot: dotOf(text) };
}
