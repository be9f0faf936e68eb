/** Notices that no gateway has been there for too long. */

export interface AloneWatch {
  told(isConnected: boolean): void;
  stop(): void;
}

/** Never, without a time. */
export function watchAlone(aloneMs: number | undefined, onAlone: () => void): AloneWatch {
  let timer: NodeJS.Timeout | undefined;
  const stop = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  const begin = () => {
    if (aloneMs !== undefined) timer ??= setTimeout(onAlone, aloneMs);
  };
  begin();
  return { told: (isConnected) => (isConnected ? stop() : begin()), stop };
}
