/** A collection as the cluster prints it, and then what changes in it, told in groups. */
import { type BrowseReply, type KubeRow, MAX_BROWSE_ROWS, ROWS_EVERY_MS } from '@gatehouse/contract/kinds/kube/browse';
import { type KubeAsk, readJson } from './answers.ts';
import { KubeFailure } from './kube-failure.ts';
import { objectPath } from './object-path.ts';
import { readTable, TABLE_ACCEPT } from './read-table.ts';
import type { ListRequest } from './requests.ts';
import { RowGroup, type TellRows } from './row-group.ts';
import { watchUntilOld } from './watching.ts';

const ROWS_AT_ONCE = 500;
/** Of ROWS_AT_ONCE with all that their writers are told about them. */
const MAX_PAGE_BYTES = 32 * 1024 * 1024;
/** A list whose pages grow old while they are read is begun again this often. */
const MAX_TRIES = 3;
/** Also of a cluster that never comes to the end; of one that is filtered, many pages may have nothing in them. */
const MAX_PAGES = 2_000;
/** Of what is told: rows with nothing but long words in them would fill a browser before they are many. */
export const MAX_TOLD_BYTES = 128 * 1024 * 1024;
const GONE = 410;

export interface FollowDeps {
  ask: KubeAsk;
  tell: (reply: BrowseReply) => void;
  now: () => number;
}

export async function followList(
  deps: FollowDeps,
  request: ListRequest,
  tellRows: TellRows,
  signal: AbortSignal,
): Promise<void> {
  const { ask, tell } = deps;
  const { id, labelSelector, fieldSelector } = request;
  const selectors = { labelSelector: labelSelector || undefined, fieldSelector: fieldSelector || undefined };
  for (let isFirst = true; ; isFirst = false) {
    if (!isFirst) tell({ type: 'anew', id });
    const { resourceVersion, isCut } = await listAll(deps, request, tellRows, signal);
    let isLive = false;
    const rows = new RowGroup(tellRows, ROWS_EVERY_MS, signal);
    try {
      await watchUntilOld(
        ask,
        {
          target: (version) =>
            objectPath(request, { ...selectors, watch: 1, allowWatchBookmarks: 'true', resourceVersion: version }),
          accept: TABLE_ACCEPT,
          resourceVersion,
          now: deps.now,
          onLive() {
            if (!isLive) tell({ type: 'listed', id, isCut, isLive: true });
            isLive = true;
          },
          async onChange({ type, object }) {
            const part = readTable(object);
            if (part?.columns) tell({ type: 'columns', id, columns: [...part.columns] });
            for (const row of part?.rows ?? []) await (type === 'DELETED' ? rows.gone(row.uid) : rows.put(row));
            return part?.resourceVersion || undefined;
          },
        },
        signal,
      );
    } catch (error) {
      // They may look at it and not watch it: what there was is on the page.
      if (!(error instanceof KubeFailure) || isLive) throw error;
      tell({ type: 'listed', id, isCut, isLive: false });
      return;
    } finally {
      rows.stop();
    }
  }
}

/** Page after page, so that the first rows are there before the last are asked for. */
async function listAll(deps: FollowDeps, request: ListRequest, tellRows: TellRows, signal: AbortSignal) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await listPages(deps, request, tellRows, signal);
    } catch (error) {
      if (!(error instanceof KubeFailure) || error.status !== GONE || tries === MAX_TRIES) throw error;
      deps.tell({ type: 'anew', id: request.id });
    }
  }
}

async function listPages(
  { ask, tell }: FollowDeps,
  request: ListRequest,
  tellRows: TellRows,
  signal: AbortSignal,
): Promise<{ resourceVersion: string; isCut: boolean }> {
  const { id, labelSelector, fieldSelector } = request;
  let from: string | undefined;
  let count = 0;
  let told = 0;
  for (let pages = 1; ; pages += 1) {
    const target = objectPath(request, {
      labelSelector: labelSelector || undefined,
      fieldSelector: fieldSelector || undefined,
      limit: ROWS_AT_ONCE,
      continue: from,
    });
    const answer = await ask({ method: 'GET', target, headers: [['accept', TABLE_ACCEPT]] }, signal);
    const part = readTable(await readJson(answer, MAX_PAGE_BYTES));
    if (!part) throw new KubeFailure(0, 'NotAList', 'the cluster answered with something that is no list');
    if (part.columns && from === undefined) tell({ type: 'columns', id, columns: [...part.columns] });
    const rows = part.rows.slice(0, MAX_BROWSE_ROWS - count);
    count += rows.length;
    for (const some of inParts(rows)) await tellRows(some, []);
    told += rows.reduce((sum, row) => sum + sizeOf(row), 0);
    const isFull = count >= MAX_BROWSE_ROWS || told >= MAX_TOLD_BYTES || pages >= MAX_PAGES;
    const isCut = rows.length < part.rows.length || (isFull && part.continue !== '');
    if (isCut || part.continue === '') return { resourceVersion: part.resourceVersion, isCut };
    from = part.continue;
  }
}

/** About as many bytes as it takes. */
function sizeOf({ cells, labels }: KubeRow): number {
  const words = [...cells, ...Object.entries(labels).flat()];
  return words.reduce<number>((sum, word) => sum + (typeof word === 'string' ? word.length : 8), 256);
}

/** A server that heeds no limit sends all at once; frames stay short. */
function* inParts(rows: readonly KubeRow[]): Generator<readonly KubeRow[]> {
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) yield rows.slice(from, from + ROWS_AT_ONCE);
}
