/** One session with a database while it is served: what every protocol is given for it, and how each of them comes to pass bytes on. */
import type { Duplex } from 'node:stream';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import type { LearnedAtSignIn } from './db-states.ts';
import { DbFailure } from './engine/db-failure.ts';
import type { Greeted } from './engine/mysql/greet-client.ts';
import type { PassedOn } from './engine/passed-on.ts';
import type { ServerTerms } from './engine/server-terms.ts';
import type { SessionLimits } from './engine/session-limits.ts';
import type { ServedKeys } from './served-keys.ts';

/** A client of MySQL that was greeted before anybody knew which server it wants. */
export interface GreetedClient extends Greeted {
  /** By which number the server knows it, until it is over. */
  isIn(thread: number): () => void;
  /** The server's number of what the same person calls by the client's; undefined where it is not theirs. */
  threadOf(named: number): number | undefined;
  /** The same, of other gateways. */
  askOthers(named: number): Promise<number | undefined> | undefined;
}

export interface ServeDeps<Teller> {
  /** Bytes of the client, from the first on; a door that has TLS of its own has taken it off. */
  client: Duplex;
  terms: ServerTerms;
  /** A new connection to the server. */
  dial(): Promise<Duplex>;
  keys: ServedKeys;
  /** `backend`: the number of the connection, as the server's own log has it. */
  teller(backend: number | undefined): Teller;
  /** Signed in, and passing; with what the server said of itself. */
  connected(learned?: LearnedAtSignIn): void;
  /** Whether what a client names beside the database that was decided about may be used on the same connection. */
  mayUse(database: string): boolean;
  /** Whether there is none that may not be used. */
  mayUseAll(): boolean;
  limits: SessionLimits;
  /** The beginnings of results are recorded, where the protocol can tell them. */
  isSampled: boolean;
  greeted?: GreetedClient | undefined;
}

export interface Served {
  /** Rejects with why nobody came in. */
  over: Promise<void>;
  isBusy(): boolean;
  /** Cancels what runs, and says why it is over in an error of the protocol. */
  end(reason: string): Promise<void>;
}

export interface ReadySession {
  server: Duplex;
  pass(): PassedOn;
}

interface Speaking {
  /** Gives nothing where the client wanted no session. */
  ready(): Promise<ReadySession | undefined>;
  /** In an error of the protocol. */
  words(failure: DbFailure): Buffer;
}

export function serveSession(client: Duplex, { ready, words }: Speaking): Served {
  let passed: PassedOn | undefined;
  let ended: DbFailure | undefined;
  // Between two owners, a stream that fails would otherwise end the process.
  client.on('error', () => {});

  async function serve(): Promise<void> {
    const session = await ready();
    if (!session) return;
    if (ended) {
      session.server.destroy();
      throw ended;
    }
    passed = session.pass();
    await passed.over;
  }

  const over = serve().catch((error: unknown) => {
    if (!ended) client.end(words(failureOf(error)));
    throw ended ?? error;
  });
  over.catch(() => {});
  return {
    over,
    isBusy: () => passed?.isBusy() ?? false,
    async end(reason) {
      if (passed) return await passed.end(reason);
      if (ended) return;
      ended = new DbFailure('ended', reason);
      client.end(words(ended));
    },
  };
}

function failureOf(error: unknown): DbFailure {
  return error instanceof DbFailure ? error : new DbFailure('gone', errorMessage(error), { cause: error });
}

/** Nobody uses what was dialled where nobody came in. */
export async function orDestroy<Result>(dialled: Duplex, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    dialled.destroy();
    throw error;
  }
}
