/** The keys by which clients cancel what they run, of all sessions that this gateway serves. */

export interface ServedKeys {
  /** Until the session is over. */
  add(key: Buffer, cancel: () => Promise<void>): () => void;
  /** Nothing is told of a key that nobody has. */
  cancel(key: Buffer): Promise<void>;
}

export function createServedKeys(): ServedKeys {
  const held = new Map<string, () => Promise<void>>();
  return {
    add(key, cancel) {
      const name = key.toString('hex');
      held.set(name, cancel);
      return () => held.delete(name);
    },
    async cancel(key) {
      await held
        .get(key.toString('hex'))?.()
        .catch(() => {});
    },
  };
}
