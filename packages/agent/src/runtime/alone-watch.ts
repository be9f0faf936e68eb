/** Notices that no gateway has been there for too long. */

export interface AloneWatch {
  told(isConnected: boolean): void;
  stop(): void;
}

/** Never, without a time. */
export function watchAlone(aloneMs: number | undefined, onAlone: () => void): AloneWatch {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const clear = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  const begin = () => {
    if (aloneMs !== undefined && !stopped) timer ??= setTimeout(onAlone, aloneMs);
  };
  begin();
  return {
    told: (isConnected) => (isConnected ? clear() : begin()),
    stop() {
      // Told of its own end, it must not begin to wait again.
      stopped = true;
      clear();
    },
  };
}
