/** How long a statement took, and whose time that was, in milliseconds. */
import type { SqlClient } from './sql-client.ts';

export interface Spent {
  server: number;
  gateway: number;
}

/** The server's part is what is neither work of ours nor waiting for the page. */
export function startTimer(client: Pick<SqlClient, 'spent'>): () => Spent {
  const begun = performance.now();
  const before = client.spent;
  return () => {
    const { workedMs, waitedMs } = client.spent;
    const gateway = workedMs - before.workedMs;
    const server = performance.now() - begun - gateway - (waitedMs - before.waitedMs);
    return { server: tenths(server), gateway: tenths(gateway) };
  };
}

function tenths(ms: number): number {
  return Math.round(Math.max(0, ms) * 10) / 10;
}
