/** Tells of new sizes of a terminal: the last of many, and ever more seldom while they go on. Whoever drags an edge fills no log. */

export interface Resize {
  cols: number;
  rows: number;
  /** Whose window it was. */
  by: string;
}

export interface Resizes {
  resized(resize: Resize): void;
  /** It is over: gives what was not told yet. */
  stop(): Resize | undefined;
}

const SETTLED_MS = 1_000;
const GAP_MS = { first: 2_000, most: 5 * 60_000 };
/** After so long without any, the next is told as soon as the first was. */
const CALM_MS = 10 * 60_000;

export function createResizes(begun: Pick<Resize, 'cols' | 'rows'>, tell: (resize: Resize) => void): Resizes {
  let told = begun;
  let waiting: Resize | undefined;
  let timer: NodeJS.Timeout | undefined;
  let gapMs = GAP_MS.first;
  let lastTold = Number.NEGATIVE_INFINITY;
  let lastHeard = Number.NEGATIVE_INFINITY;

  const take = (): Resize | undefined => {
    const taken = waiting;
    waiting = undefined;
    timer = undefined;
    const isNews = taken !== undefined && (taken.cols !== told.cols || taken.rows !== told.rows);
    return isNews ? taken : undefined;
  };
  const send = () => {
    const resize = take();
    if (!resize) return;
    told = resize;
    lastTold = performance.now();
    gapMs = Math.min(GAP_MS.most, gapMs * 2);
    tell(resize);
  };
  return {
    resized(resize) {
      const now = performance.now();
      if (now - lastHeard > CALM_MS) gapMs = GAP_MS.first;
      lastHeard = now;
      waiting = resize;
      timer ??= setTimeout(send, Math.max(SETTLED_MS, lastTold + gapMs - now)).unref();
    },
    stop() {
      clearTimeout(timer);
      return take();
    },
  };
}
