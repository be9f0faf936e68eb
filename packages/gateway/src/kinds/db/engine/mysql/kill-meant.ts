/** `KILL` by the number that a client knows a connection by, where the server knows it by another. Nothing but exactly that is understood. */
import { packet } from './packets.ts';

export interface KnownThreads {
  /** Where clients know connections by other numbers than the server: its own for one of theirs, undefined for any other. */
  threadOf?(named: number): number | undefined;
}

const KILL = /^kill\s+(query\s+)?(\d{1,10})\s*;?\s*$/i;
const QUERY = 3;
/** As long as it can be, and no more is looked at. */
const MAX_BYTES = 64;

/** `body`: of a command with a text. Gives the packet that the server gets instead; undefined: it stays as it came. */
export function killMeant(body: Buffer, { threadOf }: KnownThreads): Buffer | undefined {
  if (!threadOf || body.length > MAX_BYTES) return undefined;
  const [, query = '', named] = KILL.exec(body.toString('latin1', 1)) ?? [];
  const thread = named === undefined ? undefined : threadOf(Number(named));
  if (thread === undefined) return undefined;
  return packet(0, Buffer.of(QUERY), Buffer.from(`KILL ${query === '' ? '' : 'QUERY '}${thread}`));
}
