/** Signs in to a database once and asks it for next to nothing, to see whether that works, and leaves as the protocol wants it. */
import type { Duplex } from 'node:stream';
import type { DbProtocol } from '@gatehouse/contract/kinds/db/db-address';
import { DbFailure } from './db-failure.ts';
import { ownHello } from './mongodb/greet-client.ts';
import { askCollections, askVersion, signIn as signInToMongodb } from './mongodb/sign-in.ts';
import { CAN } from './mysql/capabilities.ts';
import { meetServer } from './mysql/greeting.ts';
import { packet } from './mysql/packets.ts';
import { askOnce as askMysql } from './mysql/run-first.ts';
import { signIn as signInToMysql } from './mysql/sign-in.ts';
import { message } from './postgres/messages.ts';
import { askOnce as askPostgres } from './postgres/run-first.ts';
import { signIn as signInToPostgres } from './postgres/sign-in.ts';
import { ping, signIn as signInToRedis } from './redis/sign-in.ts';
import type { ServerTerms } from './server-terms.ts';
import { ownLogin } from './sqlserver/login.ts';
import {
  askOnce as askSqlserver,
  meetServer as meetSqlserver,
  signIn as signInToSqlserver,
} from './sqlserver/sign-in.ts';

/** `signedIn` hears the version of the server, as it says it. Gives what was asked of it then, in words; throws what it says against that. */
export type TrySignIn = (
  bare: Duplex,
  terms: ServerTerms,
  signal: AbortSignal,
  signedIn: (version: string) => void,
) => Promise<string>;

const POSTGRES_VERSION = 3 << 16;
const MYSQL_DIALECT = {
  capabilities: { basic: CAN.longPassword | CAN.transactions, extended: 0 },
  charset: 33,
  maxPacket: 1024 * 1024,
  attributes: Buffer.alloc(0),
};
const MYSQL_QUIT = 1;

/** MySQL speaks first. Whoever does not waits to be asked, in another protocol. */
const GREETING_MS = 5_000;

function notGreeted(error: unknown): never {
  if (error instanceof DbFailure && error.kind === 'gone')
    throw new DbFailure('malformed', 'it does not greet who comes: is it MySQL or MariaDB?', {
      cause: error,
      next: "look at the address, the port and the protocol; a MySQL that looks up names for long needs 'skip-name-resolve'",
    });
  throw error;
}

const STATEMENT = 'SELECT 1';
const ANSWERS = `it answers ${STATEMENT}`;

export const TRY_SIGN_IN: Readonly<Record<DbProtocol, TrySignIn>> = {
  async postgres(bare, terms, signal, signedIn) {
    const asked = { version: POSTGRES_VERSION, parameters: new Map([['application_name', 'gatehouse test']]) };
    const inside = await signInToPostgres(bare, terms, asked, signal);
    signedIn(inside.version);
    await askPostgres(inside, STATEMENT, signal);
    inside.server.end(message('X'));
    return ANSWERS;
  },
  async mysql(bare, terms, signal, signedIn) {
    const met = await meetServer(bare, AbortSignal.any([signal, AbortSignal.timeout(GREETING_MS)])).catch(notGreeted);
    const inside = await signInToMysql(met, terms, MYSQL_DIALECT, signal);
    signedIn(inside.version);
    await askMysql(inside, STATEMENT, signal);
    inside.server.end(packet(0, Buffer.of(MYSQL_QUIT)));
    return ANSWERS;
  },
  async redis(bare, terms, signal, signedIn) {
    const inside = await signInToRedis(bare, terms, signal);
    signedIn(inside.version);
    const isAnswered = await ping(inside, signal);
    inside.server.end();
    return isAnswered ? 'it answers PING' : 'it answers, and its rules do not let this user use PING';
  },
  async mongodb(bare, terms, signal, signedIn) {
    const { server } = await signInToMongodb(bare, terms, ownHello(), signal);
    signedIn(await askVersion(server, signal));
    if (terms.database !== '') await askCollections(server, terms.database, signal);
    server.end();
    return terms.database === '' ? 'it answers' : 'it tells which collections this user may read';
  },
  async sqlserver(bare, terms, signal, signedIn) {
    const met = await meetSqlserver(bare, Buffer.of(16, 0, 0, 0, 0, 0), terms.secure, signal);
    const inside = await signInToSqlserver(met, terms, ownLogin(), signal);
    signedIn(inside.version);
    await askSqlserver(inside, STATEMENT, signal);
    inside.server.end();
    return ANSWERS;
  },
};
