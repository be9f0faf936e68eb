/** What `gatehouse db login` has left on this machine of a database, and what programs are told by it to come straight to the gateway. */
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { DbProtocol } from '@gatehouse/contract/kinds/db/db-address';
import { printable } from '@gatehouse/contract/std/printable';
import { z } from 'zod';
import type { Io } from '../../command.ts';
import { shellQuoted } from '../../output/shell-quoted.ts';
import { Failure } from '../../runtime/failure.ts';

export const NATIVE_PROTOCOLS = [
  'postgres',
  'mysql',
  'redis',
  'mongodb',
  'sqlserver',
] as const satisfies readonly DbProtocol[];
export type NativeProtocol = (typeof NATIVE_PROTOCOLS)[number];

const nativeLogin = z.object({
  name: z.string(),
  protocol: z.enum(NATIVE_PROTOCOLS),
  /** Where this command found the gateway, programs do. */
  host: z.string(),
  port: z.number(),
  /** By which clients of Redis and MongoDB name the database in their TLS; empty where the gateway has no name. */
  serverName: z.string(),
  user: z.string(),
  database: z.string(),
  key: z.string(),
  certificate: z.string(),
  /** Both in one, as some programs want it. */
  both: z.string(),
  roots: z.string(),
  expires: z.string(),
});
export type NativeLogin = z.output<typeof nativeLogin>;

export interface NativeClient {
  /** What is typed to get in; empty where no program of a terminal can. */
  command(login: NativeLogin): string;
  /** Variables that lead there; none where no program knows any. */
  variables(login: NativeLogin): Record<string, string>;
  /** What programs take as an address; empty where they take none. */
  address(login: NativeLogin): string;
  /** What people have to know before it works. */
  note?(login: NativeLogin): string;
}

export const groupOf = (name: string) => `client_${name}`;
const encoded = encodeURIComponent;
const quoted = (words: readonly string[]) => words.map(shellQuoted).join(' ');
const bracketed = (host: string) => (host.includes(':') && !host.startsWith('[') ? `[${host}]` : host);

export const NATIVE_CLIENTS: Readonly<Record<NativeProtocol, NativeClient>> = {
  postgres: {
    command: ({ name }) => `psql service=${name}`,
    variables: ({ name }) => ({ PGSERVICE: name }),
    address: ({ host, port, user, database, ...files }) => {
      const tls = { sslrootcert: files.roots, sslcert: files.certificate, sslkey: files.key };
      const query = Object.entries({ sslmode: 'verify-full', ...tls }).map(
        ([key, value]) => `${key}=${encoded(value)}`,
      );
      return `postgresql://${encoded(user)}@${bracketed(host)}:${port}/${encoded(database)}?${query.join('&')}`;
    },
  },
  mysql: {
    command: ({ name }) => `mariadb --defaults-group-suffix=_${name}`,
    variables: ({ name }) => ({ MYSQL_GROUP_SUFFIX: `_${name}` }),
    address: ({ host, port, user, database }) =>
      `mysql://${encoded(user)}@${bracketed(host)}:${port}/${encoded(database)}`,
  },
  redis: {
    command: ({ host, port, serverName, database, ...files }) =>
      quoted([
        ...['redis-cli', '-h', host, '-p', String(port), '--tls', '--sni', serverName],
        ...['--cacert', files.roots, '--cert', files.certificate, '--key', files.key],
        ...(database === '0' ? [] : ['-n', database]),
      ]),
    variables: (login) => ({ REDIS_URL: NATIVE_CLIENTS.redis.address(login) }),
    address: ({ serverName, port, database }) => `rediss://${serverName}:${port}/${database}`,
    note: () => 'redis-cli checks who vouches for the gateway, and not its name',
  },
  mongodb: {
    command: (login) => quoted(['mongosh', NATIVE_CLIENTS.mongodb.address(login)]),
    variables: (login) => ({ MONGODB_URI: NATIVE_CLIENTS.mongodb.address(login) }),
    address: ({ serverName, port, database, both, roots }) =>
      `mongodb://${serverName}:${port}/${encoded(database)}?directConnection=true&tls=true&tlsCertificateKeyFile=${encoded(both)}&tlsCAFile=${encoded(roots)}`,
    note: ({ serverName }) => `the name ${serverName} must lead to the gateway, and its certificate must have it`,
  },
  sqlserver: {
    // Neither tsql nor sqlcmd shows a certificate.
    command: () => '',
    variables: () => ({}),
    address: () => '',
    note: ({ name }) =>
      `a program must speak TDS 8.0 (encrypt: strict) and show a certificate; for all others: gatehouse proxy db ${name}`,
  },
};

export const homeOf = ({ env }: Io) => env.HOME || homedir();

export function loginFiles(io: Io, origin: string, name: string) {
  if (!/^[a-z0-9-]+$/.test(name)) throw new Failure('usage', `'${printable(name)}' is no name of a database`);
  const base = io.env.XDG_CONFIG_HOME || join(homeOf(io), '.config');
  const folder = join(base, 'gatehouse', 'db', new URL(origin).host.replaceAll(/[^a-z0-9.-]/g, '_'));
  return {
    key: join(folder, `${name}.key`),
    certificate: join(folder, `${name}.crt`),
    both: join(folder, `${name}.pem`),
    roots: join(folder, 'roots.pem'),
    login: join(folder, `${name}.json`),
  };
}

/** As `db login` wrote it. */
export async function readLogin(io: Io, origin: string, name: string): Promise<NativeLogin> {
  const { login } = loginFiles(io, origin, name);
  const text = await readFile(login, 'utf8').catch(() => undefined);
  const found = text === undefined ? undefined : nativeLogin.safeParse(parsed(text)).data;
  if (found) return found;
  throw new Failure(
    'usage',
    `there is no certificate for '${printable(name)}' here: gatehouse db login ${printable(name)}, or name where gatehouse proxy db listens with --listen`,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
