/** One MySQL or MariaDB session: meets the server, greets the client as that server, signs in for it, and passes on. */
import { ByteSource } from './engine/byte-source.ts';
import { DbFailure } from './engine/db-failure.ts';
import { cancelAt } from './engine/mysql/cancel.ts';
import { isTooOldFor } from './engine/mysql/capabilities.ts';
import { type ClientHello, greetClient, hearClient } from './engine/mysql/greet-client.ts';
import { type MetServer, meetServer } from './engine/mysql/greeting.ts';
import { errorPacket } from './engine/mysql/packets.ts';
import { passOn, type SessionTeller } from './engine/mysql/pass-on.ts';
import { firstStatements, runFirst, takeRole } from './engine/mysql/run-first.ts';
import { type SignedIn, signIn } from './engine/mysql/sign-in.ts';
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

interface Heard {
  source: ByteSource;
  hello: ClientHello;
}

export function serveMysql(deps: ServeDeps<SessionTeller>): Served {
  const { client, terms, limits, greeted } = deps;
  /** The number that a packet to the client has now: it takes no other. */
  let next = greeted ? greeted.sequence + 1 : 0;

  /** Greeted as the server that was met, or before there was one. */
  async function hear(met?: MetServer): Promise<Heard> {
    const source = new ByteSource(client, 'left');
    const signal = AbortSignal.timeout(GREET_MS);
    if (greeted) return { source, hello: await hearClient(client, source, greeted, signal) };
    if (!met) throw new Error('a client that nobody greets');
    next = AFTER_HELLO;
    return { source, hello: await greetClient(client, source, met.greeting, signal) };
  }

  async function ready(): Promise<ReadySession> {
    const before = greeted && (await hear());
    if (before) next = before.hello.next;
    const bare = await deps.dial();
    return await orDestroy(
      bare,
      (async () => {
        const met = await meetServer(bare, AbortSignal.timeout(GREET_MS));
        const { source, hello } = before ?? (await hear(met));
        next = hello.next;
        if (greeted) refuseOlder(met, hello);
        const database = databaseFor(hello.database);
        const signed = await enter(met, database, hello);
        const first = firstStatements(limits, signed.version);
        const signedIn = await runFirst(signed, first, AbortSignal.timeout(FIRST_MS));
        const { server, thread } = signedIn;
        const cancel = async () => cancelAt(await deps.dial(), thread, terms, AbortSignal.timeout(CANCEL_MS));
        return {
          server,
          pass() {
            const teller = deps.teller(thread);
            const { threadOf, askOthers } = greeted ?? {};
            const known = threadOf && askOthers ? { threadOf, askOthers } : {};
            const keepsSettings = first.length > 0 || terms.role !== undefined;
            const rules = { mayUse: deps.mayUse, keepsSettings, ...known };
            if (database !== terms.database) tellChanged(teller, database);
            const passed = passOn({
              ...{ client, first: source.release(), next, signedIn, teller, rules, isSampled: deps.isSampled },
              cancel,
            });
            holdTimeout(passed, limits.statementTimeoutMs, () => void cancel().catch(() => {}));
            if (greeted) void passed.over.then(greeted.isIn(thread));
            deps.connected({ version: signedIn.version, capabilities: met.greeting.capabilities });
            return passed;
          },
        };
      })(),
    );
  }

  async function enter(met: MetServer, database: string, hello: ClientHello): Promise<SignedIn> {
    const { role } = terms;
    const signal = AbortSignal.timeout(GREET_MS);
    if (role === undefined) return await signIn(met, { ...terms, database }, hello, signal);
    return await takeRole(await signIn(met, { ...terms, database: '' }, hello, signal), { role, database }, signal);
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

/** It was told what most servers can, and bytes pass as they come. */
function refuseOlder({ greeting }: MetServer, { capabilities }: ClientHello): void {
  if (isTooOldFor(greeting.capabilities, capabilities))
    throw new DbFailure(
      'unsupported',
      `the database is too old to be reached straight (version ${greeting.version}): gatehouse proxy db reaches it`,
    );
}

function tellChanged(teller: SessionTeller, database: string): void {
  const command = { what: 'useDatabase', database } as const;
  teller.asked(command, '');
  teller.answered(command, { ok: true, tag: '', code: '', error: '', rows: 0, bytes: 0, ms: 0 }, '');
}
