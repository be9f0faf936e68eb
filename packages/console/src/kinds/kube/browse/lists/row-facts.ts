/** What is read off the cells that a cluster prints: how many are ready, whether something is wrong. */
import type { KubeColumn, KubeRow } from '@gatehouse/contract/kinds/kube/browse';
import type { DotState } from '@gatehouse/design/status-dot';
import type { ShownRow } from '../rows/row-store.ts';

export type Cell = KubeRow['cells'][number];

export function cellNamed(columns: readonly KubeColumn[], row: KubeRow, name: string): Cell | undefined {
  const at = columns.findIndex((column) => column.name === name);
  return at === -1 ? undefined : row.cells[at];
}

export interface ReadyCount {
  ready: number;
  wanted: number;
}

/** `5/6`. */
export function readyOf(cell: Cell | undefined): ReadyCount | undefined {
  const [, ready, wanted] = (typeof cell === 'string' && /^(\d{1,6})\/(\d{1,6})$/.exec(cell)) || [];
  return ready === undefined || wanted === undefined ? undefined : { ready: Number(ready), wanted: Number(wanted) };
}

const GOOD = new Set(['Running', 'Active', 'Ready', 'Bound', 'Available', 'Normal', 'Healthy']);
const OVER = new Set(['Completed', 'Succeeded', 'Complete', 'Released']);
const BUSY = new Set(['Pending', 'ContainerCreating', 'PodInitializing', 'Terminating', 'Suspended']);

/** What the cluster says of one, as a shape and a colour. */
export function dotOf(status: string): DotState {
  if (GOOD.has(status)) return 'ok';
  if (OVER.has(status)) return 'off';
  if (BUSY.has(status) || status.startsWith('Init:')) return /Error|BackOff|Crash/.test(status) ? 'bad' : 'busy';
  if (status === 'Warning' || status.includes('SchedulingDisabled')) return 'warn';
  return status === '' || status === 'Unknown' ? 'off' : 'bad';
}

const STATUS_COLUMNS = ['Status', 'Type'];

export function isStatus(row: Pick<ShownRow, 'kind'>, column: KubeColumn): boolean {
  const { resource } = row.kind;
  if (column.name === 'Status') return true;
  return resource === 'events' && STATUS_COLUMNS.includes(column.name);
}

/** Something somebody should look at. */
export function isTrouble(columns: readonly KubeColumn[], row: ShownRow): boolean {
  if (row.mark === 'gone') return false;
  const status = columns.find((column) => isStatus(row, column));
  const said = status && cellNamed(columns, row, status.name);
  const dot = typeof said === 'string' ? dotOf(said) : undefined;
  if (dot === 'bad' || dot === 'warn') return true;
  if (dot === 'off' && typeof said === 'string' && OVER.has(said)) return false;
  const ready = readyOf(cellNamed(columns, row, 'Ready'));
  return ready !== undefined && ready.ready < ready.wanted;
}

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
] as const;

/** As kubectl writes them: one unit, two for what is young in it. */
export function shortAge(created: string, now: number): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(created)) / 1_000));
  if (Number.isNaN(seconds)) return '';
  const at = UNITS.findIndex(([, size]) => seconds >= size * (size === 1 ? 0 : 2));
  const [unit, size] = UNITS[at === -1 ? UNITS.length - 1 : at] ?? UNITS[3];
  return `${Math.floor(seconds / size)}${unit}`;
}
