/** Whether the gateway answers. A failed call starts asking for a sign of life; the first one ends it. */

export type ConnectionState = 'ok' | 'lost';

export interface Connection {
  state(): ConnectionState;
  subscribe(listener: () => void): () => void;
  /** A call got no answer, or one that only a restarting gateway or its proxy gives. */
  failed(): void;
  answered(): void;
  /** Asks at once, without waiting for the next turn. */
  retry(): void;
}

interface ConnectionDeps {
  /** True when the gateway answered. */
  ping: () => Promise<boolean>;
}

const FIRST_WAIT_MS = 1000;
const MAX_WAIT_MS = 10_000;

export function createConnection({ ping }: ConnectionDeps): Connection {
  const listeners = new Set<() => void>();
  let state: ConnectionState = 'ok';
  let timer: ReturnType<typeof setTimeout> | undefined;
  let wait = FIRST_WAIT_MS;

  const change = (next: ConnectionState) => {
    if (state === next) return;
    state = next;
    for (const listener of listeners) listener();
  };
  const schedule = () => {
    timer = setTimeout(ask, wait);
    wait = Math.min(wait * 2, MAX_WAIT_MS);
  };
  const ask = async () => {
    clearTimeout(timer);
    timer = undefined;
    if (await ping().catch(() => false)) connection.answered();
    else if (state === 'lost' && timer === undefined) schedule();
  };

  const connection: Connection = {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    failed() {
      change('lost');
      if (timer === undefined) schedule();
    },
    answered() {
      clearTimeout(timer);
      timer = undefined;
      wait = FIRST_WAIT_MS;
      change('ok');
    },
    retry() {
      if (state === 'lost') void ask();
    },
  };
  // The browser knows before any call has failed.
  globalThis.addEventListener?.('offline', () => connection.failed());
  globalThis.addEventListener?.('online', () => connection.retry());
  return connection;
}
