/** Holds the longest that a statement may run by the gateway's own clock: what the server holds, a client can set otherwise. */

/** The server's own limit comes first, in its own words. */
const GRACE_MS = 1_000;
const MAX_EVERY_MS = 1_000;

interface Running {
  /** Since it is the one that is answered next; 0 where nothing runs. */
  runningMs(): number;
  over: Promise<void>;
}

/** `stop` is called once for each time that something runs too long. */
export function holdTimeout(passed: Running, timeoutMs: number, stop: () => void): void {
  if (timeoutMs <= 0) return;
  let isStopped = false;
  const timer = setInterval(
    () => {
      const isTooLong = passed.runningMs() > timeoutMs + GRACE_MS;
      if (isTooLong && !isStopped) stop();
      isStopped = isTooLong;
    },
    Math.min(MAX_EVERY_MS, timeoutMs),
  ).unref();
  void passed.over.then(() => clearInterval(timer));
}
