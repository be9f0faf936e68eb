/** A real Redis that is signed in to in every way: with a name, without one, by certificate; with TLS or without. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@gatehouse/testkit/free-port';
import { makeTestAuthority } from './test-authority.ts';

export const PASSWORD = 'pass "word\' \\n%';
/** A file of users has no words with spaces in them. */
const HASH = createHash('sha256').update(PASSWORD).digest('hex');
const READY = 'Ready to accept connections';
const PORT_TRIES = 3;
/** Ends the server and removes its folder with the process that holds the other end of its input, however sudden that ends. */
const SUPERVISOR = 'folder=$1; shift; "$@" & cat >/dev/null; kill -KILL $! 2>/dev/null; wait $!; rm -rf "$folder"';

/** `app` may everything, as `by_scram`, who is at every server; `reader` only read in some channels, `open` has no password, and who says no name needs the password too. */
const USERS = `
user default on #${HASH} ~* &* +@all
user app on #${HASH} ~* &* +@all
user by_scram on #${HASH} ~* &* +@all
user reader on #${HASH} ~* resetchannels &news -@all +get +select +subscribe +multi +exec +discard
user open on nopass ~* &* +@all
`;

export interface SecureRedis {
  /** With TLS, and without. */
  port: number;
  plainPort: number;
  ca: string;
  certificate: { cert: string; key: string };
  stop(): Promise<void>;
}

/** `clients`: whether who comes by TLS must show a certificate. */
export async function startSecureRedis({
  clients = 'optional',
}: {
  clients?: 'optional' | 'yes';
} = {}): Promise<SecureRedis> {
  const { ca, server: own, certificate } = await makeTestAuthority();
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-redis-'));
  const put = (name: string, text: string) => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  const settings = [
    ['bind', '127.0.0.1'],
    ['dir', folder],
    ['save', '""'],
    ['appendonly', 'no'],
    // Answers in every type of the protocol.
    ['enable-debug-command', 'yes'],
    ['tls-auth-clients', clients],
    ['tls-ca-cert-file', put('ca.crt', ca)],
    ['tls-cert-file', put('server.crt', own.cert)],
    ['tls-key-file', put('server.key', own.key)],
    ['aclfile', put('users.acl', USERS.trimStart())],
  ];
  try {
    for (let left = PORT_TRIES; ; left -= 1) {
      const [port, plainPort] = [await freePort(), await freePort()];
      const lines = [...settings, ['tls-port', String(port)], ['port', String(plainPort)]];
      const config = put('redis.conf', lines.map((each) => `${each.join(' ')}\n`).join(''));
      const args = ['-c', SUPERVISOR, 'sh', folder, 'redis-server', config];
      const server = spawn('sh', args, { stdio: ['pipe', 'pipe', 'ignore'], detached: true, cwd: '/' });
      const failure = await readiness(server);
      if (failure === undefined) return { port, plainPort, ca, certificate, stop: () => stop(server) };
      if (server.pid !== undefined) process.kill(-server.pid, 'SIGKILL');
      // Somebody else may have taken the port in between.
      if (left === 1 || !failure.includes('in use')) throw new Error(`Redis did not start: ${failure}`);
    }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Resolves with nothing when the server is ready, or with what it said instead. */
function readiness(server: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve) => {
    let said = '';
    server.stdout?.on('data', (piece: Buffer) => {
      said = (said + piece.toString()).slice(-8_000);
      if (said.includes(READY)) resolve(undefined);
      else if (/Failed|FATAL|aborting/i.test(said)) resolve(said);
    });
    server.once('error', (error) => resolve(error.message));
    server.once('exit', () => resolve(said));
  });
}

async function stop(server: ChildProcess): Promise<void> {
  const exited = once(server, 'exit');
  server.stdin?.end();
  await exited;
}
