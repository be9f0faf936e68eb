/** The rows of one or more collections as they are now: told in groups by the gateway, and to the page no oftener than it draws. */
import { type KubeColumn, type KubeRow, MAX_BROWSE_ROWS } from '@gatehouse/contract/kinds/kube/browse';
import { createStore, type Store } from '../../../../platform/browser/store.ts';
import type { Browse } from '../browse.ts';
import type { KnownKind } from '../kinds.ts';
import type { Answer, Failed } from '../line/browse-line.ts';

/** Drawn at most this often: a list of many pages comes quicker than anybody looks. */
const DRAW_MS = 100;
/** To sort and look through many takes a while, and the page is to answer in between. */
const ROWS_OF_A_MS = 200;
/** For how long a change is marked. */
export const MARK_MS = 10_000;

const FORBIDDEN = 403;

export type RowMark = 'new' | 'changed' | 'gone';

export interface ShownRow extends KubeRow {
  kind: KnownKind;
  /** What has just happened to it. One that is gone stays for a while. */
  mark: RowMark | undefined;
}

export interface RowList {
  /** By uid. The same map, filled further: `version` tells that it has changed. */
  rows: ReadonlyMap<string, ShownRow>;
  version: number;
  columns: readonly KubeColumn[];
  /** All parts have been listed once. */
  isListed: boolean;
  isCut: boolean;
  isLive: boolean;
  /** What could not be listed, by namespace. */
  failures: readonly { namespace: string; kind: KnownKind; failure: Failed }[];
  /** How many rows changed lately. */
  changes: number;
}

export interface ListPart {
  kind: KnownKind;
  /** Empty: all of them, or none where it belongs to none. */
  namespace: string;
  labelSelector?: string;
  fieldSelector?: string;
}

export interface RowStore {
  list: Store<RowList>;
  stop: () => void;
}

interface PartState {
  isListed: boolean;
  isCut: boolean;
  isLive: boolean;
  failure: Failed | undefined;
  columns: readonly KubeColumn[];
  /** Not heard of since it is listed anew. */
  stale: Set<string> | undefined;
  uids: Set<string>;
}

export function followRows(browse: Browse, parts: readonly ListPart[], now: () => number): RowStore {
  const rows = new Map<string, ShownRow>();
  /** When each was marked; the oldest first. */
  const marked = new Map<string, number>();
  const states = parts.map((): PartState => newPart());
  let version = 0;
  const list = createStore<RowList>(listOf());
  let drawing: ReturnType<typeof setTimeout> | undefined;
  let fading: ReturnType<typeof setTimeout> | undefined;

  function listOf(): RowList {
    return {
      rows,
      version,
      columns: states.find(({ columns }) => columns.length > 0)?.columns ?? [],
      isListed: states.every(({ isListed, failure }) => isListed || failure !== undefined),
      isCut: states.some(({ isCut }) => isCut) || rows.size >= MAX_BROWSE_ROWS,
      isLive: states.some(({ isLive }) => isLive),
      failures: states.flatMap(({ failure }, at) => {
        const part = parts[at];
        return failure && part ? [{ namespace: part.namespace, kind: part.kind, failure }] : [];
      }),
      changes: marked.size,
    };
  }

  const draw = () => {
    drawing ??= setTimeout(
      () => {
        drawing = undefined;
        version += 1;
        list.set(listOf());
      },
      Math.max(DRAW_MS, rows.size / ROWS_OF_A_MS),
    );
  };

  const mark = (uid: string) => {
    marked.delete(uid);
    marked.set(uid, now());
    fading ??= setTimeout(fade, MARK_MS);
  };

  const fade = () => {
    fading = undefined;
    const old = now() - MARK_MS;
    for (const [uid, at] of marked) {
      if (at > old) {
        fading = setTimeout(fade, at - old);
        break;
      }
      marked.delete(uid);
      const row = rows.get(uid);
      if (row?.mark === 'gone') rows.delete(uid);
      else if (row) rows.set(uid, { ...row, mark: undefined });
    }
    draw();
  };

  const takeAway = (uid: string, state: PartState) => {
    state.uids.delete(uid);
    const row = rows.get(uid);
    if (!row) return;
    rows.set(uid, { ...row, mark: 'gone' });
    mark(uid);
  };

  const hear = (part: ListPart, state: PartState, answer: Answer) => {
    switch (answer.type) {
      case 'columns':
        state.columns = answer.columns;
        break;
      case 'rows':
        for (const row of answer.rows) {
          const before = rows.get(row.uid);
          if (!before && rows.size >= MAX_BROWSE_ROWS) continue;
          state.stale?.delete(row.uid);
          state.uids.add(row.uid);
          const isChange = state.isListed && !isSame(before, row);
          rows.set(row.uid, { ...row, kind: part.kind, mark: isChange ? (before ? 'changed' : 'new') : before?.mark });
          if (isChange) mark(row.uid);
        }
        for (const uid of answer.gone) takeAway(uid, state);
        break;
      case 'anew':
        state.stale = new Set(state.uids);
        break;
      case 'listed':
        for (const uid of state.stale ?? []) takeAway(uid, state);
        Object.assign(state, { stale: undefined, isListed: true, isCut: answer.isCut, isLive: answer.isLive });
        break;
      case 'failed':
        Object.assign(state, { failure: answer, isLive: false });
        // What may not be seen any more is not left standing.
        if (answer.status === FORBIDDEN) {
          for (const uid of state.uids) rows.delete(uid);
          state.uids.clear();
        }
        break;
    }
    draw();
  };

  const stops = parts.map((part, at) => {
    const state = states[at] ?? newPart();
    const { kind, namespace, labelSelector, fieldSelector } = part;
    const { apiGroup, apiVersion, resource } = kind;
    return browse.follow({
      question: { type: 'list', apiGroup, apiVersion, resource, namespace, labelSelector, fieldSelector },
      onBegin() {
        // On another line: what stands here stays until it is known to be gone.
        state.stale = new Set(state.uids);
        state.failure = undefined;
        draw();
      },
      hear: (answer) => hear(part, state, answer),
    });
  });

  return {
    list,
    stop() {
      clearTimeout(drawing);
      clearTimeout(fading);
      for (const stop of stops) stop();
    },
  };
}

function newPart(): PartState {
  return {
    ...{ isListed: false, isCut: false, isLive: false, failure: undefined, columns: [], stale: undefined },
    uids: new Set(),
  };
}

/** A row that is told once more, as when a list is read anew, has not changed. Ages are printed, and pass. */
function isSame(before: KubeRow | undefined, row: KubeRow): boolean {
  if (!before) return false;
  return (
    before.isEnding === row.isEnding &&
    before.cells.length === row.cells.length &&
    before.cells.every((cell, at) => cell === row.cells[at] || isAge(cell))
  );
}

function isAge(cell: KubeRow['cells'][number]): boolean {
  return typeof cell === 'string' && /^(?:<unknown>|(?:\d+[ydhms])+(?: ago)?)$/.test(cell);
}
