/** How a workload is, read off what the cluster prints first of it. Columns of its kind have stood in this order since there are Tables. */
import type { DotState } from '@gatehouse/design/status-dot';
import type { ShownRow } from '../rows/row-store.ts';
import { type Cell, type ReadyCount, readyOf } from './row-facts.ts';

export interface WorkState {
  ready: ReadyCount | undefined;
  /** In place of how many are ready: when it runs. */
  text: string;
  dot: DotState;
}

export function workState({ kind, cells, isEnding }: ShownRow): WorkState {
  const ready = readyFor(kind.resource, cells);
  const text = kind.resource === 'cronjobs' ? String(cells[1] ?? '') : '';
  if (isEnding) return { ready, text, dot: 'busy' };
  if (kind.resource === 'cronjobs') return { ready, text, dot: isTrue(cells[2]) || isTrue(cells[3]) ? 'off' : 'ok' };
  if (!ready) return { ready, text, dot: 'off' };
  if (kind.resource === 'jobs') return { ready, text, dot: jobDot(ready, cells) };
  if (ready.wanted === 0) return { ready, text, dot: 'off' };
  return { ready, text, dot: ready.ready >= ready.wanted ? 'ok' : ready.ready === 0 ? 'bad' : 'warn' };
}

function readyFor(resource: string, cells: readonly Cell[]): ReadyCount | undefined {
  // Name, Desired, Current, Ready, …
  if (resource === 'daemonsets') {
    const [, wanted, , ready] = cells;
    return typeof wanted === 'number' && typeof ready === 'number' ? { ready, wanted } : undefined;
  }
  // Name, Ready, …; of jobs Name, Completions, …, or with what became of it in between.
  return readyOf(cells[1]) ?? readyOf(cells[2]);
}

function jobDot({ ready, wanted }: ReadyCount, cells: readonly Cell[]): DotState {
  if (cells.includes('Failed')) return 'bad';
  return ready >= wanted ? 'ok' : 'busy';
}

/** Of CronJobs: Name, Schedule, Suspend, …, or with its time zone in between. */
function isTrue(cell: Cell | undefined): boolean {
  return cell === true || cell === 'True' || cell === 'true';
}
