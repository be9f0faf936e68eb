/** What stands around the gateway in databases.bench.ts: PostgreSQL, pgbouncer as the proxy to compare with, and the endpoints to them. */
import { type ChildProcess, execFile, fork, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PASSWORD, type SecurePostgres, startSecurePostgres } from '@gatehouse/gateway/testing/db/secure-postgres';
import { freePort } from '@gatehouse/testkit/free-port';
import { cleanEnvironment, ended, ROOT } from '@gatehouse/testkit/gateway-process';
import { makeCertificate } from '@gatehouse/tunnel/testing/certificate';
import { untilOpen } from './bench-world.ts';

const run = promisify(execFile);
const BOUNCER = '/usr/sbin/pgbouncer';
export const USER = 'by_scram';

/** Where a client connects to, and what it is told beside that. */
export interface Endpoint {
  name: string;
  host: string;
  port: number;
  environment: Record<string, string>;
}

export interface DatabasesWorld {
  postgres: SecurePostgres;
  /** `cookie`, `bearer`: of a page that is open there. */
  gateway: { child: ChildProcess; origin: string; port: number; token: string; cookie: string; bearer: string };
  direct: Endpoint;
  bouncer: Endpoint;
  /** `gatehouse proxy db`, in a process of its own. */
  tunnel: Endpoint;
  /** Passes bytes on and does nothing else. */
  relay: { child: ChildProcess; endpoint: Endpoint };
  /** Straight to the gateway's port, with the certificate of `gatehouse db login`. */
  native: Endpoint;
  close(): Promise<void>;
}

/** By the Debian packages that have them. */
export const PROGRAMS = {
  pgbouncer: BOUNCER,
  'postgresql-client': '/usr/bin/psql',
  'postgresql-contrib': '/usr/bin/pgbench',
};

export async function startWorld(folder: string): Promise<DatabasesWorld> {
  const postgres = await startSecurePostgres(['max_connections=1200']);
  const { cert, key } = await makeCertificate(['localhost', '127.0.0.1']);
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem'), ca: join(folder, 'ca.pem') };
  const own = { cert: join(folder, 'own.crt'), key: join(folder, 'own.key') };
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  writeFileSync(files.cert, cert);
  writeFileSync(files.key, key, { mode: 0o600 });
  writeFileSync(files.ca, postgres.ca);
  writeFileSync(own.key, pair.privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 });
  const bouncer = await startBouncer(join(folder, 'bouncer'), postgres, { cert, key });
  const told = {
    BENCH_CERT: files.cert,
    BENCH_KEY: files.key,
    BENCH_CA: files.ca,
    BENCH_URI: `localhost:${postgres.port}`,
  };
  const relay = fork(join(import.meta.dirname, 'databases-relay.ts'), { env: { ...process.env, ...told } });
  const [relayed] = (await once(relay, 'message')) as [{ port: number }];
  const child = fork(join(import.meta.dirname, 'databases-gateway.ts'), {
    execArgv: ['--expose-gc'],
    env: {
      ...process.env,
      ...told,
      BENCH_DATA: join(folder, 'data'),
      BENCH_DATABASE: postgres.database,
      BENCH_USER: USER,
      BENCH_PASSWORD: PASSWORD,
      BENCH_PUBLIC_KEY: pair.publicKey.export({ format: 'pem', type: 'spki' }).toString(),
    },
  });
  child.once('exit', () => process.exit(2));
  const [begun] = (await once(child, 'message')) as [DatabasesWorld['gateway'] & { certificate: string }];
  const { port, token, certificate, cookie, bearer } = begun;
  writeFileSync(own.cert, certificate);
  const origin = `https://localhost:${port}`;
  const proxy = await startProxy(origin, token, files.cert);
  const common = { PGUSER: USER, PGDATABASE: postgres.database, PGPASSWORD: PASSWORD };
  const verified = (ca: string) => ({ ...common, PGSSLMODE: 'verify-full', PGSSLROOTCERT: ca });
  return {
    postgres,
    gateway: { child, origin, port, token, cookie, bearer },
    direct: { name: 'direct', host: 'localhost', port: postgres.port, environment: verified(files.ca) },
    bouncer: { name: 'pgbouncer', host: 'localhost', port: bouncer.port, environment: verified(files.cert) },
    tunnel: { name: 'tunnel', host: '127.0.0.1', port: proxy.port, environment: { ...common, PGSSLMODE: 'disable' } },
    relay: {
      child: relay,
      endpoint: {
        ...{ name: 'relay', host: 'localhost', port: relayed.port },
        // It is another's TLS that the password would be tied to.
        environment: { ...verified(files.cert), PGCHANNELBINDING: 'disable', PGGSSENCMODE: 'disable' },
      },
    },
    native: {
      ...{ name: 'native', host: 'localhost', port },
      environment: { ...verified(files.cert), PGSSLCERT: own.cert, PGSSLKEY: own.key, PGGSSENCMODE: 'disable' },
    },
    async close() {
      await ended(proxy.child, 'SIGTERM');
      relay.kill();
      child.removeAllListeners('exit');
      child.send('stop');
      await once(child, 'exit');
      bouncer.child.kill();
      await postgres.stop();
    },
  };
}

/** In milliseconds. */
export async function timed(endpoint: Endpoint, program: string, ...args: string[]): Promise<number> {
  const began = performance.now();
  await tool(endpoint, program, ...args);
  return performance.now() - began;
}

export async function tool(endpoint: Endpoint, program: string, ...args: string[]): Promise<string> {
  const env = { ...cleanEnvironment(), ...endpoint.environment };
  const options = { env, maxBuffer: 1024 * 1024 };
  return (await run(program, ['-h', endpoint.host, '-p', String(endpoint.port), ...args], options)).stdout;
}

async function startProxy(origin: string, token: string, ca: string): Promise<{ child: ChildProcess; port: number }> {
  const env = { ...cleanEnvironment(), GATEHOUSE_ADDRESS: origin, GATEHOUSE_TOKEN: token, NODE_EXTRA_CA_CERTS: ca };
  const args = ['proxy', 'db', 'shop', '--tunnel', '--db-user', USER, '--listen', '127.0.0.1:0', '--format', 'json'];
  const child = spawn(join(ROOT, 'gatehouse'), args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, port: Number((JSON.parse(String(line)) as { address: string }).address.split(':')[1]) };
}

/** TLS to both sides, checked; a connection of its own for each client, as ours. */
async function startBouncer(
  folder: string,
  { port, ca, database }: SecurePostgres,
  { cert, key }: { cert: string; key: string },
): Promise<{ child: ChildProcess; port: number }> {
  mkdirSync(folder);
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  const own = await freePort();
  const quoted = PASSWORD.replaceAll("'", "''");
  const ini = file(
    'pgbouncer.ini',
    `[databases]
${database} = host=localhost port=${port} dbname=${database} user=${USER} password='${quoted}'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = trust
auth_file = ${file('users.txt', `"${USER}" ""\n`)}
pool_mode = session
max_client_conn = 2000
default_pool_size = 1100
client_tls_sslmode = require
client_tls_cert_file = ${file('cert.pem', cert)}
client_tls_key_file = ${file('key.pem', key)}
server_tls_sslmode = verify-full
server_tls_ca_file = ${file('ca.pem', ca)}
ignore_startup_parameters = extra_float_digits
logfile = /dev/null
log_connections = 0
log_disconnections = 0
`,
  );
  const user = process.getuid?.() === 0 ? unprivileged() : undefined;
  if (user) {
    for (const name of ['', 'pgbouncer.ini', 'users.txt', 'cert.pem', 'key.pem', 'ca.pem'])
      chownSync(join(folder, name), user.uid, user.gid);
    chmodSync(join(folder, '..'), 0o755);
  }
  const child = spawn(BOUNCER, ['-q', ini], { stdio: 'ignore', ...user });
  await untilOpen(own);
  return { child, port: own };
}

/** It refuses to run as root, as PostgreSQL does. */
function unprivileged(): { uid: number; gid: number } {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((each) => each.startsWith('postgres:'));
  const [, , uid, gid] = line?.split(':') ?? [];
  return { uid: Number(uid ?? 65_534), gid: Number(gid ?? 65_534) };
}
