/** The one way to hear of an abort: a listener that is added to a signal which is aborted already is never called. */

/** What an `AbortSignal` is to us, in Node and in a page. */
interface Abortable {
  readonly aborted: boolean;
  addEventListener(type: 'abort', run: () => void, options: { once: true }): void;
  removeEventListener(type: 'abort', run: () => void): void;
}

/** Runs once, at once when it is too late to wait. Returns how to hear no more of it. */
export function whenAborted(signal: Abortable | undefined, run: () => void): () => void {
  if (!signal) return () => {};
  if (signal.aborted) {
    run();
    return () => {};
  }
  signal.addEventListener('abort', run, { once: true });
  return () => signal.removeEventListener('abort', run);
}
