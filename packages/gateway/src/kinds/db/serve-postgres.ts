/** One PostgreSQL session: hears what the client wants, signs in for it, and passes on. */
import type { Duplex } from 'node:stream';
import { ByteSource } from './engine/byte-source.ts';
import { DbFailure } from './engine/db-failure.ts';
import { cancelAt, ownCancelKey } from './engine/postgres/cancel.ts';
import { type Greeting, greetClient } from './engine/postgres/greet-client.ts';
import { fatal } from './engine/postgres/messages.ts';
import { type PassedOn, passOn, type SessionTeller } from './engine/postgres/pass-on.ts';
import { type SignedIn, signIn } from './engine/postgres/sign-in.ts';
import type { ServerTerms } from './engine/server-terms.ts';

const GREET_MS = 10_000;
const CANCEL_MS = 5_000;
const CONNECTION_FAILURE = '08006';

export interface ServedKeys {
  /** Until the session is over. */
  add(key: Buffer, cancel: () => Promise<void>): () => void;
  /** Nothing is told of a key that nobody has. */
  cancel(key: Buffer): Promise<void>;
}

export interface ServeDeps {
  client: Duplex;
  terms: ServerTerms;
  /** A new connection to the server. */
  dial(): Promise<Duplex>;
  keys: ServedKeys;
  teller(signedIn: SignedIn): SessionTeller;
  /** Signed in, and passing. */
  connected(): void;
  /** The database that was decided about; what a client names beside it is refused. */
  database: string;
}

export interface Served {
  /** Rejects with why nobody came in. */
  over: Promise<void>;
  isBusy(): boolean;
  end(reason: string): Promise<void>;
}

export function servePostgres(deps: ServeDeps): Served {
  const { client, terms, keys } = deps;
  let passed: PassedOn | undefined;
  let ended: string | undefined;

  async function serve(): Promise<void> {
    const signal = AbortSignal.timeout(GREET_MS);
    const source = new ByteSource(client);
    const greeting = await greetClient(client, source, signal);
    if (greeting.wants === 'cancel') {
      await keys.cancel(greeting.key);
      client.end();
      return;
    }
    refuseOther(greeting, deps.database);
    const bare = await deps.dial();
    const signedIn = await signIn(bare, terms, greeting, AbortSignal.timeout(GREET_MS)).catch((error: unknown) => {
      bare.destroy();
      throw error;
    });
    if (ended !== undefined) {
      signedIn.server.destroy();
      throw new DbFailure('gone', ended, { code: '57P01' });
    }
    const cancel = () => cancelRunning(signedIn);
    const ownKey = signedIn.cancelKey ? ownCancelKey(greeting.version) : undefined;
    const forget = ownKey ? keys.add(ownKey, cancel) : () => {};
    passed = passOn({ client, first: source.release(), signedIn, ownKey, teller: deps.teller(signedIn), cancel });
    deps.connected();
    await passed.over;
    forget();
  }

  async function cancelRunning({ cancelKey }: SignedIn): Promise<void> {
    if (cancelKey) await cancelAt(await deps.dial(), cancelKey, terms, AbortSignal.timeout(CANCEL_MS));
  }

  const over = serve().catch((error: unknown) => {
    const { code = CONNECTION_FAILURE, message } = error instanceof DbFailure ? error : { message: wordsOf(error) };
    client.end(fatal(code, message));
    throw error;
  });
  over.catch(() => {});
  return {
    over,
    isBusy: () => passed?.isBusy() ?? false,
    async end(reason) {
      ended = reason;
      if (passed) await passed.end(reason);
      else client.end(fatal('57P01', reason));
    },
  };
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : 'the database cannot be reached';
}

/** Clients that were told no database name the user's there: that alone is not meant. */
function refuseOther({ user, database }: Extract<Greeting, { wants: 'session' }>, decided: string): void {
  if (database === '' || database === user || database === decided) return;
  throw new DbFailure('refused', `this way leads to the database '${decided}', and not to '${database}'`, {
    code: '3D000',
    next: 'name it where the way is opened: --db-name',
  });
}

/** Of all sessions that this gateway serves. */
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
