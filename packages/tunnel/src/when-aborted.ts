/** The one way to hear of an abort: a listener that is added to a signal which is aborted already is never called. */

/** Runs once, at once when it is too late to wait. Returns how to hear no more of it. */
export function whenAborted(signal: AbortSignal | undefined, run: () => void): () => void {
  if (!signal) return () => {};
  if (signal.aborted) {
    run();
    return () => {};
  }
  signal.addEventListener('abort', run, { once: true });
  return () => signal.removeEventListener('abort', run);
}
