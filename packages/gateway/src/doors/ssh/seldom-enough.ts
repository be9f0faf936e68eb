/** Of what a program may say as often as it likes, only as much as anything can come of: each would be a frame to somebody, or a line of a recording. */

const SIZE_EVERY_MS = 25;
const MAX_SIGNALS_A_SECOND = 50;

/** The first at once, then the latest of those that came meanwhile. */
export function latestOf<T>(take: (value: T) => void): (value: T) => void {
  let isWaiting = false;
  let latest: { value: T } | undefined;
  const give = (value: T) => {
    isWaiting = true;
    setTimeout(() => {
      isWaiting = false;
      const next = latest;
      latest = undefined;
      if (next) give(next.value);
    }, SIZE_EVERY_MS).unref();
    take(value);
  };
  return (value) => {
    if (isWaiting) latest = { value };
    else give(value);
  };
}

/** False for what is too many. */
export function signalCounter(now: () => number): () => boolean {
  let [since, count] = [0, 0];
  return () => {
    if (now() - since >= 1_000) [since, count] = [now(), 0];
    count += 1;
    return count <= MAX_SIGNALS_A_SECOND;
  };
}
