/** `KILL` by the number that a client knows a connection by, where the server knows it by another. Nothing but exactly that is understood. */
import { packet } from './packets.ts';

export interface KnownThreads {
  /** Where clients know connections by other numbers than the server: its own for one of theirs, undefined for any other. */
  threadOf?(named: number): number | undefined;
  /** The same where another gateway may know it; undefined where nobody is asked. Never rejects. */
  askOthers?(named: number): Promise<number | undefined> | undefined;
}

const KILL = /^kill\s+(query\s+)?(\d{1,10})\s*;?\s*$/i;
const QUERY = 3;
/** As long as it can be, and no more is looked at. */
const MAX_BYTES = 64;
const HEAD_BYTES = 4;

/** `body`: of a command with a text. Gives the packet that the server gets instead; undefined: it stays as it came. */
export function killMeant(body: Buffer, { threadOf }: KnownThreads): Buffer | undefined {
  if (!threadOf || body.length > MAX_BYTES) return undefined;
  const [, query = '', named] = KILL.exec(body.toString('latin1', 1)) ?? [];
  const thread = named === undefined ? undefined : threadOf(Number(named));
  if (thread === undefined) return undefined;
  return packet(0, Buffer.of(QUERY), Buffer.from(`KILL ${query === '' ? '' : 'QUERY '}${thread}`));
}

/** Which connection a `KILL` means that came alone, as somebody sends it who cancels; undefined: it is none. `piece`: from the beginning of a packet on. */
export function killedAlone(piece: Buffer): number | undefined {
  if (piece.length <= HEAD_BYTES || piece.length > HEAD_BYTES + MAX_BYTES) return undefined;
  if (piece.readUIntLE(0, 3) !== piece.length - HEAD_BYTES || piece[HEAD_BYTES] !== QUERY) return undefined;
  const [, , named] = KILL.exec(piece.toString('latin1', HEAD_BYTES + 1)) ?? [];
  return named === undefined ? undefined : Number(named);
}

/** Asks others for what is known to nobody here, once, before the server hears of it. */
export function askForKilled({ threadOf, askOthers }: KnownThreads) {
  /** For the piece that is looked at again, and for no other: numbers of a server are given to others later. */
  let found: { named: number; thread: number | undefined } | undefined;
  let isAgain = false;
  return {
    threadOf: (named: number) => threadOf?.(named) ?? (found?.named === named ? found.thread : undefined),
    /** Settled when the piece may be looked at again, before any other; undefined: it goes on at once. */
    ask(piece: Buffer): Promise<void> | undefined {
      if (isAgain) {
        isAgain = false;
        return undefined;
      }
      found = undefined;
      const named = askOthers && killedAlone(piece);
      if (named === undefined || threadOf?.(named) !== undefined) return undefined;
      return askOthers?.(named)?.then((thread) => {
        found = { named, thread };
        isAgain = true;
      });
    },
  };
}
