/** Signs in to a database once, to see whether that works, and leaves as the protocol wants it. */
import type { Duplex } from 'node:stream';
import type { DbProtocol } from '@gatehouse/contract/kinds/db/db-address';
import { ownHello } from './mongodb/greet-client.ts';
import { askVersion, signIn as signInToMongodb } from './mongodb/sign-in.ts';
import { CAN } from './mysql/capabilities.ts';
import { meetServer } from './mysql/greeting.ts';
import { packet } from './mysql/packets.ts';
import { signIn as signInToMysql } from './mysql/sign-in.ts';
import { message } from './postgres/messages.ts';
import { signIn as signInToPostgres } from './postgres/sign-in.ts';
import { signIn as signInToRedis } from './redis/sign-in.ts';
import type { ServerTerms } from './server-terms.ts';
import { ownLogin } from './sqlserver/login.ts';
import { meetServer as meetSqlserver, signIn as signInToSqlserver } from './sqlserver/sign-in.ts';

/** Gives the version of the server, as it says it. */
export type TrySignIn = (bare: Duplex, terms: ServerTerms, signal: AbortSignal) => Promise<string>;

const POSTGRES_VERSION = 3 << 16;
const MYSQL_DIALECT = {
  capabilities: { basic: CAN.longPassword | CAN.transactions, extended: 0 },
  charset: 33,
  maxPacket: 1024 * 1024,
  attributes: Buffer.alloc(0),
};
const MYSQL_QUIT = 1;

export const TRY_SIGN_IN: Readonly<Record<DbProtocol, TrySignIn>> = {
  async postgres(bare, terms, signal) {
    const asked = { version: POSTGRES_VERSION, parameters: new Map([['application_name', 'gatehouse test']]) };
    const { server, version } = await signInToPostgres(bare, terms, asked, signal);
    server.end(message('X'));
    return version;
  },
  async mysql(bare, terms, signal) {
    const { server, version } = await signInToMysql(await meetServer(bare, signal), terms, MYSQL_DIALECT, signal);
    server.end(packet(0, Buffer.of(MYSQL_QUIT)));
    return version;
  },
  async redis(bare, terms, signal) {
    const { server, version } = await signInToRedis(bare, terms, signal);
    server.end();
    return version;
  },
  async mongodb(bare, terms, signal) {
    const { server } = await signInToMongodb(bare, terms, ownHello(), signal);
    const version = await askVersion(server, signal);
    server.end();
    return version;
  },
  async sqlserver(bare, terms, signal) {
    const met = await meetSqlserver(bare, Buffer.of(16, 0, 0, 0, 0, 0), terms.secure, signal);
    const { server, version } = await signInToSqlserver(met, terms, ownLogin(), signal);
    server.end();
    return version;
  },
};
