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
  /** A leaf of the gateway, which has it. */
  cluster: z.string().optional(),
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

/** What a database is called on this machine: of two clusters, each may have one of the same name. */
export const nameHere = ({ name, cluster }: Pick<NativeLogin, 'name' | 'cluster'>) =>
  cluster === undefined ? name : `${name}.${cluster}`;
export const groupOf = (name: string) => `client_${name}`;
const encoded = encodeURIComponent;
const quoted = (words: readonly string[]) => words.map(shellQuoted).join(' ');
const bracketed = (host: string) => (host.includes(':') && !host.startsWith('[') ? `[${host}]` : host);

export const NATIVE_CLIENTS: Readonly<Record<NativeProtocol, NativeClient>> = {
  postgres: {
    command: (login) => `psql service=${nameHere(login)}`,
    variables: (login) => ({ PGSERVICE: nameHere(login) }),
    address: ({ host, port, user, database, ...files }) => {
      const tls = { sslrootcert: files.roots, sslcert: files.certificate, sslkey: files.key };
      const query = Object.entries({ sslmode: 'verify-full', ...tls }).map(
        ([key, value]) => `${key}=${encoded(value)}`,
      );
      return `postgresql://${encoded(user)}@${bracketed(host)}:${port}/${encoded(database)}?${query.join('&')}`;
    },
  },
  mysql: {
    command: (login) => `mariadb --defaults-group-suffix=_${nameHere(login)}`,
    variables: (login) => ({ MYSQL_GROUP_SUFFIX: `_${nameHere(login)}` }),
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
    note: ({ name, cluster }) =>
      `a program must speak TDS 8.0 (encrypt: strict) and show a certificate; for all others: ${proxyCommand(name, cluster)}`,
  },
};

export const homeOf = ({ env }: Io) => env.HOME || homedir();

export function proxyCommand(name: string, cluster: string | undefined): string {
  return printable(`gatehouse proxy db ${name}${cluster === undefined ? '' : ` --cluster ${shellQuoted(cluster)}`}`);
}

export function loginFiles(io: Io, origin: string, { name, cluster }: Pick<NativeLogin, 'name' | 'cluster'>) {
  if (!/^[a-z0-9-]+$/.test(name)) throw new Failure('usage', `'${printable(name)}' is no name of a database`);
  if (cluster !== undefined && !/^[a-z0-9][a-z0-9.-]*$/i.test(cluster))
    throw new Failure('usage', `'${printable(cluster)}' is no name of a cluster`);
  const here = nameHere({ name, cluster });
  const base = io.env.XDG_CONFIG_HOME || join(homeOf(io), '.config');
  const folder = join(base, 'gatehouse', 'db', new URL(origin).host.replaceAll(/[^a-z0-9.-]/g, '_'));
  return {
    key: join(folder, `${here}.key`),
    certificate: join(folder, `${here}.crt`),
    both: join(folder, `${here}.pem`),
    roots: join(folder, 'roots.pem'),
    login: join(folder, `${here}.json`),
  };
}

/** As `db login` wrote it. */
export async function readLogin(
  io: Io,
  origin: string,
  which: Pick<NativeLogin, 'name' | 'cluster'>,
): Promise<NativeLogin> {
  const { login } = loginFiles(io, origin, which);
  const { name, cluster } = which;
  const more = cluster === undefined ? '' : ` --cluster ${printable(cluster)}`;
  const text = await readFile(login, 'utf8').catch(() => undefined);
  const found = text === undefined ? undefined : nativeLogin.safeParse(parsed(text)).data;
  if (found) return found;
  throw new Failure(
    'usage',
    `there is no certificate for '${printable(name)}' here: gatehouse db login ${printable(name)}${more}, or name where gatehouse proxy db listens with --listen`,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
