/** What a database means by its refusal, by its own codes, and what to write there so that it would not refuse. */
import { isIPv6 } from 'node:net';
import { DB_PROTOCOL_TITLES, type DbProtocol } from '@gatehouse/contract/kinds/db/db-address';
import type { DbSignIn } from '@gatehouse/contract/kinds/db/db-spec';
import type { DbFailure } from './engine/db-failure.ts';

/** It does not take the user or what proves it, does not have or give the database, or something else. */
export type RefusedFor = 'user' | 'database' | 'unknown';

export interface RefusedSignIn {
  protocol: DbProtocol;
  signIn: DbSignIn;
  isEncrypted: boolean;
  dbUser: string;
  dbName: string;
  /** What stores another password; empty where the database is not stored itself. */
  setPassword: string;
}

type Meaning = Readonly<Record<Exclude<RefusedFor, 'unknown'>, RegExp>>;

/** Of the code and the words behind it. */
const MEANINGS: Readonly<Record<DbProtocol, Meaning>> = {
  postgres: { user: /^(?:28000|28P01) /, database: /^(?:3D000|42501) / },
  mysql: { user: /^(?:1045|1130|1698|1862|3118|4151) /, database: /^(?:1049|1044) / },
  mongodb: { user: /^18 /, database: /^13 / },
  sqlserver: { user: /^18456 /, database: /^4060 / },
  redis: {
    user: /^(?:WRONGPASS|NOAUTH|NOPERM(?!.*'select')|ERR (?:.*\bAUTH\b|invalid password|invalid username))/i,
    database: /^(?:ERR (?:DB index|invalid DB index)|NOPERM.*'select')/i,
  },
};

export function refusedFor(protocol: DbProtocol, { kind, code = '', message }: DbFailure): RefusedFor {
  if (kind !== 'refused') return 'unknown';
  const said = protocol === 'redis' ? message : `${code} ${message}`;
  const { user, database } = MEANINGS[protocol];
  if (database.test(said)) return 'database';
  return user.test(said) ? 'user' : 'unknown';
}

/** Empty where nothing is known that would help. */
export function lineToAdd(refused: RefusedSignIn, failure: DbFailure): string {
  if (failure.next !== '') return failure.next;
  const why = refusedFor(refused.protocol, failure);
  return why === 'unknown' ? '' : LINES[refused.protocol](refused, failure, why);
}

type Line = (refused: RefusedSignIn, failure: DbFailure, why: Exclude<RefusedFor, 'unknown'>) => string;

const LINES: Readonly<Record<DbProtocol, Line>> = {
  postgres(refused, { code, message }, why) {
    const { dbUser, isEncrypted, signIn } = refused;
    // Where none is named PostgreSQL takes one that is called as the user.
    const dbName = refused.dbName || dbUser;
    if (why === 'database')
      return code === '42501'
        ? `run there: GRANT CONNECT ON DATABASE ${sqlName(dbName)} TO ${sqlName(dbUser)}`
        : `name a database that is there, or make it: CREATE DATABASE ${sqlName(dbName)}`;
    const from = /no pg_hba\.conf entry for host "([0-9a-f.:]+)"/i.exec(message)?.[1];
    if (from !== undefined) {
      const method = signIn === 'certificate' ? 'cert' : 'scram-sha-256';
      const line = `${isEncrypted ? 'hostssl' : 'host'} ${hbaName(dbName)} ${hbaName(dbUser)} ${from}/${isIPv6(from) ? 128 : 32} ${method}`;
      return `add this line to pg_hba.conf there: ${line} and let it be read: SELECT pg_reload_conf()`;
    }
    if (/role .* does not exist/.test(message)) return `make the user there: CREATE ROLE ${sqlName(dbUser)} LOGIN`;
    if (/not permitted to log in/.test(message)) return `run there: ALTER ROLE ${sqlName(dbUser)} LOGIN`;
    return anotherPassword(refused);
  },
  mysql(refused, { code, message }, why) {
    const { dbUser, dbName, signIn } = refused;
    // The server says where from, and may say anything: what is no address would stand in a line that is copied.
    const from = /(?:@|Host )'([\w.:%-]+)'/.exec(message)?.[1] ?? '%';
    const user = `${sqlText(dbUser)}@${sqlText(from)}`;
    if (why === 'database')
      return code === '1049'
        ? `name a database that is there, or make it: CREATE DATABASE ${tickName(dbName)}`
        : `run there: GRANT SELECT ON ${tickName(dbName)}.* TO ${user}`;
    const make = `make the user there for the address this comes from: CREATE USER ${user} ${signIn === 'certificate' ? 'REQUIRE SUBJECT …' : 'IDENTIFIED BY …'}`;
    return code === '1130' ? make : `${anotherPassword(refused)}, or ${make}`;
  },
  redis(refused, _failure, why) {
    const { dbUser, dbName } = refused;
    if (why === 'database')
      return `use a lower number than ${dbName}, raise 'databases' in redis.conf, or let the user select: ACL SETUSER ${dbUser} +select`;
    return `${anotherPassword({ ...refused, signIn: 'password' })}, or set it there: ACL SETUSER ${dbUser} on >PASSWORD`;
  },
  mongodb: (refused, _failure, why) => elsewhere(refused, why),
  sqlserver: (refused, _failure, why) => elsewhere(refused, why),
};

function elsewhere(refused: RefusedSignIn, why: Exclude<RefusedFor, 'unknown'>): string {
  return why === 'user' ? anotherPassword(refused) : `name a database that '${refused.dbUser}' may use`;
}

function anotherPassword({ protocol, signIn, dbUser, setPassword }: RefusedSignIn): string {
  if (signIn !== 'password') return `let ${DB_PROTOCOL_TITLES[protocol]} know the user '${dbUser}'`;
  return setPassword === ''
    ? `give the password that '${dbUser}' has there`
    : `store the password it has: ${setPassword}`;
}

function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function tickName(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``;
}

function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Words of the file's own, and whatever else is no plain name, stand in quotes there. */
function hbaName(name: string): string {
  const isPlain = /^[a-z_][a-z0-9_]*$/i.test(name) && !/^(?:all|sameuser|samerole|samegroup|replication)$/i.test(name);
  return isPlain ? name : sqlName(name);
}
