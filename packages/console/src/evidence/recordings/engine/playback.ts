/** Decides what of a recording is drawn when: playing, seeking, stepping, skipping what is idle, following what still runs. */
import type { RecordedScreen } from '@gatehouse/contract/recordings/recordings';
import { createStore, type Store } from '../../../platform/browser/store.ts';
import { type ChunkSource, type Clock, createPieceReader, type PictureItem, type ReplayItem } from './piece-reader.ts';

export const SPEEDS = [0.5, 1, 2, 4, 8, 16] as const;
export type Speed = (typeof SPEEDS)[number];

/** Paints, and knows nothing of time. Everything happens in the order of the calls. */
export interface PlaybackScreen {
  /** Forgets what was there. */
  draw(screen: RecordedScreen | undefined): void;
  /** Base64 of what a terminal prints, or bytes of a picture; calls back when it is on the screen. */
  write(data: string | Uint8Array<ArrayBuffer>, done: () => void): void;
  resize(cols: number, rows: number): void;
  /** Of desktops. */
  segment?(segment: Extract<PictureItem, { type: 'segment' }>): void;
  pointer?(pointer: Extract<PictureItem, { type: 'pointer' }>): void;
  /** Calls back when everything so far is on the screen. */
  settle(done: () => void): void;
}

export interface PlaybackView {
  isPlaying: boolean;
  /** What a running session prints is shown as it comes. */
  isFollowing: boolean;
  isLive: boolean;
  /** Something was drawn. */
  isShown: boolean;
  /** The gateway has not read this far: the screen is only nearly right. */
  isApproximate: boolean;
  /** Nothing can be drawn until more has come. */
  isWaiting: boolean;
  hasEnded: boolean;
  speed: Speed;
  skipsIdle: boolean;
  durationMs: number;
  /** How much idle time was just passed over. */
  skippedMs: number | undefined;
  /** Output that was lost when it was recorded stood here. */
  gapBytes: number | undefined;
  failure: Error | undefined;
}

/** Idle is a stretch without output longer than this; what is kept of it before and after tells that there was one. */
export const IDLE_MS = 1_500;
const KEPT_AFTER_MS = 500;
const KEPT_BEFORE_MS = 300;
const TOLD_MS = 1_600;
/** A hidden tab draws nothing: what it missed is not caught up with in a burst. */
const MAX_TICK_MS = 250;
/** Characters of base64 that the screen has not drawn yet. */
const UNDRAWN_CHARACTERS = 350_000;
/** An older seek is given up for a newer one only when it takes long: while dragging, each picture is worth showing. */
const SLOW_SEEK_MS = 400;
const BACK_MS = 1_000;
const REMEMBERED_STEPS = 500;

export interface PlaybackOptions {
  source: ChunkSource;
  screen: PlaybackScreen;
  clock: Clock;
  speed?: Speed;
  skipsIdle?: boolean;
}

export type Playback = ReturnType<typeof createPlayback>;

export function createPlayback({ source, screen, clock, speed = 1, skipsIdle = true }: PlaybackOptions) {
  const position = createStore(0);
  const view: Store<PlaybackView> = createStore<PlaybackView>({
    isPlaying: false,
    isFollowing: false,
    isLive: false,
    isShown: false,
    isApproximate: false,
    isWaiting: true,
    hasEnded: false,
    speed,
    skipsIdle,
    durationMs: 0,
    skippedMs: undefined,
    gapBytes: undefined,
    failure: undefined,
  });
  const reader = createPieceReader({ source, clock, onChange: () => onRead() });
  /** What is on the screen, and since when nothing was added to it. */
  let drawnMs = 0;
  let activeMs = 0;
  let steps: number[] = [];
  let undrawn = 0;
  let onDrawn: (() => void)[] = [];
  let wanted: number | undefined;
  let seekingSince: number | undefined;
  let seekRun = 0;
  /** Steps asked for while a seek runs: they are made from where it ends, not lost. */
  let owedSteps = 0;
  let tickedAt = 0;
  let cancelTick = () => {};
  let cancelTold = () => {};
  /** When the end was last told, by the clock: a running session gets longer by itself. */
  let endToldAt = 0;
  let isClosed = false;

  const change = (next: Partial<PlaybackView>) => {
    const before = view.get();
    if (Object.entries(next).some(([name, value]) => before[name as keyof PlaybackView] !== value))
      view.set({ ...before, ...next });
    if (next.isPlaying !== undefined) reader.readAhead(next.isPlaying);
  };
  const endNow = () => {
    const { durationMs, isLive } = view.get();
    return isLive ? durationMs + (clock.now() - endToldAt) : durationMs;
  };
  const setEnd = (durationMs: number, isLive: boolean) => {
    endToldAt = clock.now();
    change({ durationMs: Math.max(durationMs, drawnMs), isLive });
  };
  const tell = (told: Pick<PlaybackView, 'skippedMs'> | Pick<PlaybackView, 'gapBytes'>) => {
    change(told);
    cancelTold();
    cancelTold = clock.later(() => change({ skippedMs: undefined, gapBytes: undefined }), TOLD_MS);
  };

  const apply = (item: ReplayItem) => {
    drawnMs = Math.max(drawnMs, item.ms);
    activeMs = drawnMs;
    if (item.type === 'output' || item.type === 'picture') {
      const data = item.type === 'output' ? item.data : item.bytes;
      const weight = data.length;
      undrawn += weight;
      if (steps.at(-1) !== item.ms) steps.push(item.ms);
      if (steps.length > REMEMBERED_STEPS) steps = steps.slice(-REMEMBERED_STEPS / 2);
      screen.write(data, () => {
        undrawn -= weight;
        if (undrawn > UNDRAWN_CHARACTERS) return;
        const woken = onDrawn;
        onDrawn = [];
        for (const wake of woken) wake();
      });
    } else if (item.type === 'size') screen.resize(item.cols, item.rows);
    else if (item.type === 'segment') screen.segment?.(item);
    else if (item.type === 'pointer') screen.pointer?.(item);
    else if (item.type === 'gap') tell({ gapBytes: item.bytes });
    else if (item.type === 'end') setEnd(item.ms, false);
  };
  /** False when something that is due has to wait for the screen. */
  const applyUpTo = (ms: number): boolean => {
    for (let item = reader.peek(); item && item.ms <= ms; item = reader.peek()) {
      if (undrawn > UNDRAWN_CHARACTERS) return false;
      reader.take();
      apply(item);
    }
    return true;
  };

  const tick = () => {
    const now = clock.now();
    const elapsed = Math.min(now - tickedAt, MAX_TICK_MS);
    tickedAt = now;
    if (view.get().isFollowing) follow();
    else advance(elapsed);
    const { isPlaying, isFollowing } = view.get();
    if (isPlaying && (!isFollowing || view.get().isLive)) schedule();
  };
  const schedule = () => {
    cancelTick();
    cancelTick = clock.soon(tick);
  };
  const startTicking = () => {
    tickedAt = clock.now();
    schedule();
  };

  const follow = () => {
    applyUpTo(Number.POSITIVE_INFINITY);
    position.set(Math.max(drawnMs, endNow()));
    if (reader.state() === 'done' && !reader.peek()) finish();
    else if (reader.state() === 'failed')
      change({ failure: reader.failure(), isPlaying: false, isFollowing: false, isWaiting: false });
    else change({ isWaiting: false });
  };
  const advance = (elapsed: number) => {
    const { speed: rate, durationMs } = view.get();
    const target = position.get() + elapsed * rate;
    const isCurrent = applyUpTo(target);
    const next = reader.peek();
    if (!isCurrent) return position.set(Math.max(position.get(), Math.min(target, next?.ms ?? target)));
    if (next) {
      change({ isWaiting: false });
      return position.set(skipIdle(target, next));
    }
    const state = reader.state();
    if (state === 'done') {
      position.set(Math.min(target, Math.max(durationMs, drawnMs)));
      if (isIdleEnd(target, durationMs)) finish();
    } else if (state === 'caught-up' && target >= endNow()) change({ isFollowing: true, isWaiting: false });
    else if (state === 'caught-up') position.set(target);
    else if (state === 'failed') change({ failure: reader.failure(), isPlaying: false, isWaiting: false });
    else change({ isWaiting: true });
  };
  /** After the last output nothing happens any more. */
  const isIdleEnd = (target: number, durationMs: number) =>
    target >= durationMs || (view.get().skipsIdle && target - activeMs > KEPT_AFTER_MS);
  const skipIdle = (target: number, next: ReplayItem): number => {
    if (!view.get().skipsIdle || next.ms - activeMs < IDLE_MS || target - activeMs < KEPT_AFTER_MS) return target;
    const landing = next.ms - KEPT_BEFORE_MS;
    if (landing <= target) return target;
    tell({ skippedMs: landing - target });
    activeMs = landing;
    return landing;
  };
  const finish = () => {
    position.set(Math.max(view.get().durationMs, drawnMs));
    change({ isPlaying: false, isFollowing: false, isLive: false, isWaiting: false, hasEnded: true });
  };

  function onRead(): void {
    if (isClosed) return;
    if (view.get().isFollowing && seekingSince === undefined) follow();
  }

  /** Only one seek runs; it goes on to whatever is wanted by then. */
  const runSeek = async () => {
    seekRun += 1;
    const run = seekRun;
    seekingSince = clock.now();
    cancelTick();
    try {
      while (wanted !== undefined && run === seekRun) {
        const target = wanted;
        wanted = undefined;
        await drawAt(target, run);
      }
      if (run !== seekRun) return;
      change({ isWaiting: false, failure: undefined });
    } catch (error) {
      if (run !== seekRun || isClosed) return;
      const failure = error instanceof Error ? error : new Error(String(error));
      change({ failure, isPlaying: false, isFollowing: false, isWaiting: false });
    }
    seekingSince = undefined;
    if (view.get().failure) owedSteps = 0;
    while (owedSteps > 0 && seekingSince === undefined) {
      owedSteps -= 1;
      await stepForward();
    }
    if (view.get().isPlaying && seekingSince === undefined) startTicking();
  };
  const drawAt = async (target: number, run: number) => {
    const isHere = view.get().isShown && target >= drawnMs && reader.covers(target);
    if (!isHere) {
      const drawn = await reader.open(target);
      if (run !== seekRun) return;
      steps = [];
      drawnMs = drawn?.ms ?? 0;
      screen.draw(drawn);
      change({ isApproximate: drawn?.approximate ?? false });
    }
    while (run === seekRun && wanted === undefined) {
      const isCurrent = applyUpTo(target);
      if (!isCurrent) await new Promise<void>((resolve) => void onDrawn.push(resolve));
      else if (reader.peek() || reader.state() !== 'reading') break;
      else await reader.changed();
    }
    if (run !== seekRun) return;
    if (reader.state() === 'failed' && !reader.peek()) throw reader.failure() ?? new Error('not readable');
    drawnMs = Math.max(drawnMs, target);
    activeMs = target;
    await new Promise<void>((resolve) => screen.settle(resolve));
    if (run === seekRun) change({ isShown: true, hasEnded: false });
  };

  const seek = (ms: number) => {
    // Before the end is known, any time may exist.
    const target = Math.max(0, Math.min(ms, Math.max(endNow(), drawnMs) || ms));
    wanted = target;
    owedSteps = 0;
    position.set(target);
    change({ isFollowing: false, hasEnded: false, failure: undefined, isWaiting: true, skippedMs: undefined });
    if (seekingSince === undefined || clock.now() - seekingSince > SLOW_SEEK_MS) void runSeek();
  };
  const pause = () => {
    cancelTick();
    change({ isPlaying: false, isFollowing: false });
  };
  const play = () => {
    if (view.get().failure) return retry();
    change({ isPlaying: true });
    if (view.get().hasEnded) seek(0);
    else if (seekingSince === undefined) startTicking();
  };
  const retry = () => {
    change({ failure: undefined, isPlaying: true });
    if (reader.state() === 'failed') reader.retry();
    else return seek(position.get());
    startTicking();
  };

  /** The next output, however long it took to come. */
  const stepForward = async () => {
    pause();
    if (seekingSince !== undefined) {
      owedSteps += 1;
      return;
    }
    while (!reader.peek() && reader.state() === 'reading' && !isClosed) await reader.changed();
    if (!reader.peek() && reader.state() === 'done') return finish();
    for (let item = reader.peek(); item; item = reader.peek()) {
      reader.take();
      apply(item);
      position.set(Math.max(position.get(), drawnMs));
      if ((item.type === 'output' || item.type === 'picture') && reader.peek()?.ms !== item.ms) break;
    }
  };

  return {
    position,
    view,
    endNow,
    /** As the list knows it; a running session goes on from there. */
    setEnd,
    /** The first picture. Unlike later, the end may not be known yet. */
    start(ms: number) {
      wanted = ms;
      position.set(ms);
      void runSeek();
    },
    seek,
    play,
    pause,
    toggle: () => (view.get().isPlaying ? pause() : play()),
    retry,
    /** What draws it cannot go on. */
    fail(failure: Error) {
      cancelTick();
      change({ failure, isPlaying: false, isFollowing: false, isWaiting: false });
    },
    setSpeed: (next: Speed) => change({ speed: next }),
    setSkipsIdle: (next: boolean) => change({ skipsIdle: next }),
    /** To the end of what a running session has printed, and on with it. */
    goLive() {
      seek(endNow());
      change({ isFollowing: true, isPlaying: true });
    },
    stepForward,
    stepBack() {
      pause();
      seek(steps.at(-2) ?? position.get() - BACK_MS);
    },
    close() {
      isClosed = true;
      seekRun += 1;
      cancelTick();
      cancelTold();
      reader.close();
    },
  };
}
