/** The part of a logger that code below the HTTP server uses; a pino logger fits. */

type Write = (fields: object, message: string) => void;

export interface Log {
  debug: Write;
  info: Write;
  warn: Write;
  error: Write;
}

/** For tests and tools that have nobody to tell. */
export const silentLog: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };

function ignore(): void {}
