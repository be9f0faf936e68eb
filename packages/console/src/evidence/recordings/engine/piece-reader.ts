/** Reads a recording piece by piece, a little ahead of what is played and never more: memory does not grow with its length. */
import type { PlayedItem, RecordedScreen, Playback as WirePiece } from '@gatehouse/contract/recordings/recordings';

/** What a recorded desktop shows. */
export type PictureItem = { ms: number } & (
  | { type: 'picture'; bytes: Uint8Array<ArrayBuffer> }
  /** Another client begins, which knows nothing of what came before. */
  | { type: 'segment'; protocol: 'rdp' | 'vnc'; width: number; height: number }
  | { type: 'pointer'; x: number; y: number; buttons: number }
);

export type ReplayItem = PlayedItem | PictureItem;

export type PlayedChunk = Omit<WirePiece, 'items'> & { items: readonly ReplayItem[] };

export interface ChunkSource {
  seek(ms: number, signal: AbortSignal): Promise<PlayedChunk>;
  next(key: string, signal: AbortSignal): Promise<PlayedChunk>;
}

export interface Clock {
  now(): number;
  /** Before the next picture is drawn. Gives back what calls it off. */
  soon(callback: () => void): () => void;
  later(callback: () => void, ms: number): () => void;
}

/** Characters of base64 that wait to be played. With more of them nothing is asked for until some have been. */
export const AHEAD_CHARACTERS = 500_000;
/** Other items weigh something too. */
const ITEM_CHARACTERS = 64;
const LIVE_EVERY_MS = 1_000;
const RETRY_MS = [500, 2_000, 5_000] as const;

/**
 * reading: more is on its way. caught-up: a running session has printed nothing new. done: there is no more.
 * failed: tried again in vain.
 */
export type ReaderState = 'reading' | 'caught-up' | 'done' | 'failed';

export interface PieceReader {
  /** Begins anew at a time. Rejects when that fails; a newer call makes an older one reject. */
  open(ms: number): Promise<RecordedScreen | undefined>;
  peek(): ReplayItem | undefined;
  take(): ReplayItem | undefined;
  /** Everything up to this time is here. */
  covers(ms: number): boolean;
  state(): ReaderState;
  failure(): Error | undefined;
  isLive(): boolean;
  /** Whether more is asked for before it is needed: while it plays. */
  readAhead(isAhead: boolean): void;
  /** When something came, or will not come. */
  changed(): Promise<void>;
  /** After a failure. */
  retry(): void;
  close(): void;
}

interface ReaderDeps {
  source: ChunkSource;
  clock: Clock;
  onChange: () => void;
}

export function createPieceReader({ source, clock, onChange }: ReaderDeps): PieceReader {
  let pieces: (readonly ReplayItem[])[] = [];
  let at = 0;
  let weight = 0;
  let key: string | undefined;
  let isLive = false;
  let current: ReaderState = 'done';
  let problem: Error | undefined;
  let control = new AbortController();
  let cancelWait = () => {};
  let isAsking = false;
  let isAhead = false;
  let waiters: (() => void)[] = [];

  const tell = (next: ReaderState) => {
    current = next;
    const woken = waiters;
    waiters = [];
    for (const wake of woken) wake();
    onChange();
  };
  const accept = (piece: PlayedChunk) => {
    if (piece.items.length > 0) pieces.push(piece.items);
    weight += piece.items.reduce((sum, item) => sum + weightOf(item), 0);
    key = piece.next;
    isLive = piece.live;
    if (key === undefined) return tell('done');
    const isCaughtUp = isLive && piece.items.length === 0;
    tell(isCaughtUp ? 'caught-up' : 'reading');
    if (isCaughtUp) later(LIVE_EVERY_MS, 0);
    else fill();
  };
  const later = (ms: number, failures: number) => {
    cancelWait();
    cancelWait = clock.later(() => {
      isAsking = false;
      void ask(failures);
    }, ms);
  };
  const ask = async (failures: number) => {
    if (key === undefined || isAsking) return;
    const { signal } = control;
    isAsking = true;
    try {
      const piece = await source.next(key, signal);
      if (signal.aborted) return;
      isAsking = false;
      accept(piece);
    } catch (error) {
      if (signal.aborted) return;
      const wait = RETRY_MS[failures];
      // Still asking while it waits: what is played in the meantime must not ask at once.
      if (wait !== undefined) return later(wait, failures + 1);
      isAsking = false;
      problem = asError(error);
      tell('failed');
    }
  };
  const fill = () => {
    if (current === 'reading' && weight < (isAhead ? AHEAD_CHARACTERS : 1)) void ask(0);
  };
  const forget = () => {
    control.abort();
    control = new AbortController();
    cancelWait();
    pieces = [];
    at = 0;
    weight = 0;
    key = undefined;
    isAsking = false;
    problem = undefined;
  };
  const peek = () => pieces[0]?.[at];

  return {
    async open(ms) {
      forget();
      current = 'reading';
      const { signal } = control;
      const piece = await source.seek(ms, signal);
      signal.throwIfAborted();
      accept(piece);
      return piece.screen;
    },
    peek,
    take() {
      const item = peek();
      if (!item) return undefined;
      weight -= weightOf(item);
      at += 1;
      if (at === pieces[0]?.length) {
        pieces.shift();
        at = 0;
      }
      fill();
      return item;
    },
    covers: (ms) => (pieces.at(-1)?.at(-1)?.ms ?? -1) > ms || (current === 'done' && key === undefined),
    state: () => current,
    failure: () => problem,
    isLive: () => isLive,
    readAhead(next) {
      isAhead = next;
      fill();
    },
    changed: () => new Promise((resolve) => void waiters.push(resolve)),
    retry() {
      if (current !== 'failed') return;
      problem = undefined;
      tell('reading');
      void ask(0);
    },
    close: forget,
  };
}

function weightOf(item: ReplayItem): number {
  return (
    ITEM_CHARACTERS +
    ('data' in item ? item.data.length : 'bytes' in item && item.type === 'picture' ? item.bytes.length : 0)
  );
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
