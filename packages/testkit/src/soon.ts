/**
 * How long a test waits for what is promised within a second or two. A machine that is slow, or busy with other tests, takes a few
 * times as long; what was forgotten, or is only found when somebody looks round once a minute, takes longer than this.
 */
export const SOON_MS = 10_000;
/** The one in the middle: of many that are each quick, a busy machine makes some slow, but not the most of them. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

export const SOON_SECONDS = SOON_MS / 1_000;
