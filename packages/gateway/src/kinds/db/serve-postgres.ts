/** One PostgreSQL session: hears what the client wants, signs in for it, and passes on. */
import { ByteSource } from './engine/byte-source.ts';
import { DbFailure } from './engine/db-failure.ts';
import { cancelAt, ownCancelKey } from './engine/postgres/cancel.ts';
import { type Greeting, greetClient } from './engine/postgres/greet-client.ts';
import { fatal } from './engine/postgres/messages.ts';
import { passOn, type SessionTeller } from './engine/postgres/pass-on.ts';
import { firstStatements, runFirst } from './engine/postgres/run-first.ts';
import { signIn } from './engine/postgres/sign-in.ts';
import { holdTimeout } from './hold-timeout.ts';
import { orDestroy, type ReadySession, type ServeDeps, type Served, serveSession } from './served.ts';

const GREET_MS = 10_000;
const CANCEL_MS = 5_000;
/** For what is run at each sign-in. */
const FIRST_MS = 30_000;
const CONNECTION_FAILURE = '08006';
const ADMIN_SHUTDOWN = '57P01';

export function servePostgres(deps: ServeDeps<SessionTeller>): Served {
  const { client, terms, keys, limits, isSampled } = deps;

  async function ready(): Promise<ReadySession | undefined> {
    const source = new ByteSource(client, 'left');
    const greeting = await greetClient(client, source, AbortSignal.timeout(GREET_MS));
    if (greeting.wants === 'cancel') {
      await keys.cancel(greeting.key);
      client.end();
      return undefined;
    }
    refuseOther(greeting, terms.database);
    const bare = await deps.dial();
    const signedIn = await orDestroy(
      bare,
      signIn(bare, terms, greeting, AbortSignal.timeout(GREET_MS)).then((signed) =>
        runFirst(signed, firstStatements(limits), AbortSignal.timeout(FIRST_MS)),
      ),
    );
    const { cancelKey, server, backend } = signedIn;
    const cancel = async () => {
      if (cancelKey) await cancelAt(await deps.dial(), cancelKey, terms, AbortSignal.timeout(CANCEL_MS));
    };
    return {
      server,
      pass() {
        const ownKey = cancelKey && ownCancelKey(greeting.version);
        const teller = deps.teller(backend);
        const passed = passOn({ client, first: source.release(), signedIn, ownKey, teller, isSampled, cancel });
        holdTimeout(passed, limits.statementTimeoutMs, () => void cancel().catch(() => {}));
        if (ownKey) void passed.over.then(keys.add(ownKey, cancel));
        deps.connected({ version: signedIn.version });
        return passed;
      },
    };
  }

  return serveSession(client, {
    ready,
    words: ({ kind, code = CONNECTION_FAILURE, message }) => fatal(kind === 'ended' ? ADMIN_SHUTDOWN : code, message),
  });
}

/** Clients that were told no database name the user's there: that alone is not meant. */
function refuseOther({ user, database }: Extract<Greeting, { wants: 'session' }>, decided: string): void {
  if (database === '' || database === user || database === decided) return;
  throw new DbFailure('refused', `this way leads to the database '${decided}', and not to '${database}'`, {
    code: '3D000',
    next: 'name it where the way is opened: --db-name',
  });
}
