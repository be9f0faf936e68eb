/** What the strip of the timeline is drawn from: bars of activity, stretches without any, and round times. */

export interface Stretch {
  fromMs: number;
  toMs: number;
}

/** Of an idle stretch the player keeps about this much. */
const KEPT_MS = 800;
const MIN_IDLE_MS = 1_500;
const STEPS_MS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 43_200].map(
  (seconds) => seconds * 1_000,
);
const MAX_TICKS = 7;

/** Where nothing was printed for long enough to be skipped, as exactly as the strip tells. */
export function idleStretches(activity: readonly number[], durationMs: number): Stretch[] {
  const partMs = durationMs / Math.max(1, activity.length);
  const stretches: Stretch[] = [];
  let from: number | undefined;
  for (const [at, share] of [...activity, 1].entries()) {
    if (share <= 0) from ??= at;
    else if (from !== undefined) {
      const stretch = { fromMs: from * partMs, toMs: at * partMs };
      if (stretch.toMs - stretch.fromMs >= MIN_IDLE_MS) stretches.push(stretch);
      from = undefined;
    }
  }
  return stretches;
}

export function savedMs(stretches: readonly Stretch[]): number {
  return stretches.reduce((sum, { fromMs, toMs }) => sum + Math.max(0, toMs - fromMs - KEPT_MS), 0);
}

/** One path for all bars, in a picture as wide as there are bars and 1 high. A little activity is seen as well. */
export function barsPath(activity: readonly number[]): string {
  return activity
    .map((share, at) => {
      if (share <= 0) return '';
      const height = 0.06 + 0.94 * Math.min(1, share);
      return `M${at + 0.1} 1v${-height.toFixed(3)}h.8v${height.toFixed(3)}z`;
    })
    .join('');
}

export function ticksOf(durationMs: number): number[] {
  const step = STEPS_MS.find((each) => durationMs / each <= MAX_TICKS) ?? Math.ceil(durationMs / MAX_TICKS);
  const ticks: number[] = [];
  // The last one would stand under the time of the end.
  for (let at = 0; at < durationMs - step * 0.4; at += step) ticks.push(at);
  return ticks;
}
