/** A short list from the store, kept in memory for calls that cannot wait for it, and read again when it changes. */
import type { ChangeFeed } from '../../platform/change-feed/change-feed.ts';
import type { Log } from '../../platform/std/log.ts';

export interface KeptRows<Row> {
  all(): readonly Row[];
  /** Reads them now: for whoever has just changed one. */
  refresh(): Promise<void>;
  onChange(listener: () => void): () => void;
  close(): void;
}

export async function openKeptRows<Row>(
  { feed, log }: { feed: Pick<ChangeFeed, 'subscribe'>; log: Log },
  topic: string,
  read: () => Promise<Row[]>,
): Promise<KeptRows<Row>> {
  let rows: readonly Row[] = await read();
  const listeners = new Set<() => void>();
  /** A look that began before the one that is known is older, whenever it ends. */
  let looks = 0;
  let known = 0;
  const refresh = async () => {
    const look = ++looks;
    const found = await read();
    if (look < known) return;
    known = look;
    rows = found;
    for (const listener of listeners) listener();
  };
  const heard = () =>
    void refresh().catch((error: unknown) => log.warn({ error, topic }, 'a list cannot be read again'));
  const subscription = feed.subscribe([topic], { change: heard, gap: heard });
  return {
    all: () => rows,
    refresh,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: () => subscription.close(),
  };
}
