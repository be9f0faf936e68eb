/** One session with SQL Server: hears the client's greeting and sign-in, signs in in its stead, and passes on. */
import { BoundedMap } from '../../platform/std/bounded-map.ts';
import { ByteSource } from './engine/byte-source.ts';
import { DbFailure } from './engine/db-failure.ts';
import { readLogin } from './engine/sqlserver/login.ts';
import { errorReply, TYPE } from './engine/sqlserver/packets.ts';
import { passOn, type SessionTeller } from './engine/sqlserver/pass-on.ts';
import { ENCRYPTION, prelogin, readPrelogin, takeMessage } from './engine/sqlserver/prelogin.ts';
import { LOGIN_FAILED, SOME_VERSION } from './engine/sqlserver/refuse-client.ts';
import { type MetServer, meetServer, runFirst, signIn } from './engine/sqlserver/sign-in.ts';
import { sameName } from './engine/sqlserver/tsql.ts';
import { holdTimeout } from './hold-timeout.ts';
import { orDestroy, type ReadySession, type ServeDeps, type Served, serveSession } from './served.ts';

const GREET_MS = 10_000;
const MAX_GREETING_BYTES = 16 * 1024;
const NO_DATABASE = '4060';
/** Of databases that were changed to on one connection. */
const MAX_ASKED_NAMES = 1_024;

export function serveSqlserver(deps: ServeDeps<SessionTeller>): Served {
  const { client, terms, mayUse, limits } = deps;
  let hasGreeted = false;

  async function ready(): Promise<ReadySession> {
    const source = new ByteSource(client, 'left');
    const signal = AbortSignal.timeout(GREET_MS);
    const hello = await takeMessage(source, MAX_GREETING_BYTES, signal);
    if (hello.head.type !== TYPE.prelogin) throw new DbFailure('malformed', 'no greeting of SQL Server');
    const { version } = readPrelogin(hello.payload);
    const meeting = deps.dial().then((bare) => orDestroy(bare, meetServer(bare, version, terms.secure, signal)));
    const met = await meeting.catch((error: unknown) => ({ error }));
    if ('error' in met) {
      await takeLogin(source, SOME_VERSION);
      throw met.error;
    }
    return await orDestroy(met.server, comeIn(source, met));
  }

  /** Answers the greeting, and hears who wants in. */
  async function takeLogin(source: ByteSource, version: Buffer) {
    if (client.destroyed || client.writableEnded) throw new DbFailure('left', 'the connection was closed');
    client.write(prelogin(TYPE.reply, { version, encryption: ENCRYPTION.notSupported }));
    hasGreeted = true;
    return await takeMessage(source, 4 * MAX_GREETING_BYTES, AbortSignal.timeout(GREET_MS));
  }

  async function comeIn(source: ByteSource, met: MetServer): Promise<ReadySession> {
    const login = await takeLogin(source, met.version);
    if (login.head.type !== TYPE.login) throw new DbFailure('malformed', 'no sign-in of SQL Server');
    const said = readLogin(login.payload);
    const named = sameName(said.database);
    if (named !== '' && !mayUse(named)) throw notIn(named);
    const wanted = { ...terms, database: named || terms.database };
    const rules = inOtherLetters(mayUse, wanted.database);
    const signedIn = await signIn(met, wanted, said, AbortSignal.timeout(GREET_MS));
    // Where none is named, or another stands behind the name, the server chooses.
    const isIn = sameName(signedIn.database);
    if (!rules.mayBeIn(isIn)) throw notIn(isIn);
    await runFirst(signedIn, limits.initSql, AbortSignal.timeout(GREET_MS));
    // It said all that was waited for and went: nobody would hear of its end any more.
    if (client.readableEnded || client.destroyed) throw new DbFailure('left', 'the connection was closed');
    return {
      server: signedIn.server,
      pass() {
        const held = { isReadOnly: limits.readOnly, keepsState: limits.initSql.length > 0, isSampled: deps.isSampled };
        const teller = deps.teller(signedIn.spid);
        const passed = passOn({ client, first: source.release(), signedIn, teller, rules: { ...rules, ...held } });
        const tooLong = 'it ran longer than a statement may here';
        holdTimeout(passed, limits.statementTimeoutMs, () => void passed.end(tooLong));
        deps.connected({ version: signedIn.version });
        return passed;
      },
    };
  }

  return serveSession(client, {
    ready,
    // Before its greeting is answered, a client takes no error for one.
    words: ({ code, message }) =>
      hasGreeted ? errorReply(Number(code ?? LOGIN_FAILED) || LOGIN_FAILED, message, true) : Buffer.alloc(0),
  });
}

/** A server that takes `SHOP` for `shop` says its own spelling where the session is: that is what was asked for, and was decided. What a role denies is denied in any letters, also where it is asked for. */
function inOtherLetters(mayUse: (database: string) => boolean, first: string) {
  const asked = new BoundedMap<string, true>(MAX_ASKED_NAMES);
  asked.set(first.toLowerCase(), true);
  return {
    mayUse(database: string): boolean {
      const may = mayUse(database);
      if (may) asked.set(database.toLowerCase(), true);
      return may;
    },
    mayBeIn: (database: string) => asked.has(database.toLowerCase()) || mayUse(database),
  };
}

function notIn(database: string): DbFailure {
  return new DbFailure('refused', `no role of yours lets you use the database '${database}' there`, {
    code: NO_DATABASE,
  });
}
