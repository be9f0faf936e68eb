/** One MySQL or MariaDB session: meets the server, greets the client as that server, signs in for it, and passes on. */
import { ByteSource } from './engine/byte-source.ts';
import { DbFailure } from './engine/db-failure.ts';
import { cancelAt } from './engine/mysql/cancel.ts';
import { greetClient } from './engine/mysql/greet-client.ts';
import { meetServer } from './engine/mysql/greeting.ts';
import { errorPacket } from './engine/mysql/packets.ts';
import { passOn, type SessionTeller } from './engine/mysql/pass-on.ts';
import { firstStatements, runFirst } from './engine/mysql/run-first.ts';
import { signIn } from './engine/mysql/sign-in.ts';
import { ERROR_CODES } from './engine/mysql/statements.ts';
import { holdTimeout } from './hold-timeout.ts';
import { orDestroy, type ReadySession, type ServeDeps, type Served, serveSession } from './served.ts';

const GREET_MS = 10_000;
const CANCEL_MS = 5_000;
/** For what is run at each sign-in. */
const FIRST_MS = 30_000;
/** An error of no particular kind: clients take no number of their own, above 2000, from a server. */
const UNKNOWN_ERROR = 1105;
/** Behind what a client says of itself. */
const AFTER_HELLO = 2;

export function serveMysql(deps: ServeDeps<SessionTeller>): Served {
  const { client, terms, limits } = deps;
  /** The number that a packet to the client has now: it takes no other. */
  let next = 0;

  async function ready(): Promise<ReadySession> {
    const bare = await deps.dial();
    return await orDestroy(
      bare,
      (async () => {
        const met = await meetServer(bare, AbortSignal.timeout(GREET_MS));
        const source = new ByteSource(client, 'left');
        next = AFTER_HELLO;
        const hello = await greetClient(client, source, met.greeting, AbortSignal.timeout(GREET_MS));
        next = hello.next;
        const database = databaseFor(hello.database);
        const signed = await signIn(met, { ...terms, database }, hello, AbortSignal.timeout(GREET_MS));
        const first = firstStatements(limits, signed.version);
        const signedIn = await runFirst(signed, first, AbortSignal.timeout(FIRST_MS));
        const { server, thread } = signedIn;
        const cancel = async () => cancelAt(await deps.dial(), thread, terms, AbortSignal.timeout(CANCEL_MS));
        return {
          server,
          pass() {
            const teller = deps.teller(thread);
            const rules = { mayUse: deps.mayUse, keepsSettings: first.length > 0 };
            if (database !== terms.database) tellChanged(teller, database);
            const passed = passOn({
              ...{ client, first: source.release(), next, signedIn, teller, rules, isSampled: deps.isSampled },
              cancel,
            });
            holdTimeout(passed, limits.statementTimeoutMs, () => void cancel().catch(() => {}));
            deps.connected({ version: signedIn.version, capabilities: met.greeting.capabilities });
            return passed;
          },
        };
      })(),
    );
  }

  /** To name one while signing in is as good as to change to it afterwards. */
  function databaseFor(named: string): string {
    if (named === '' || named === terms.database) return terms.database;
    if (deps.mayUse(named)) return named;
    throw new DbFailure('refused', `Access denied to database '${named}': this way leads to '${terms.database}'`, {
      code: String(ERROR_CODES.noDatabase),
      next: 'name it where the way is opened: --db-name',
    });
  }

  return serveSession(client, {
    ready,
    words: ({ kind, code = String(UNKNOWN_ERROR), message }) =>
      errorPacket(next, kind === 'ended' ? ERROR_CODES.shutdown : Number(code), message),
  });
}

function tellChanged(teller: SessionTeller, database: string): void {
  const command = { what: 'useDatabase', database } as const;
  teller.asked(command, '');
  teller.answered(command, { ok: true, tag: '', code: '', error: '', rows: 0, bytes: 0, ms: 0 }, '');
}
