/** `gatehouse proxy db` at a gateway with TLS of its own: bytes go as they are, and by the websocket where somebody stands between. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { STREAM_UPGRADE } from '@gatehouse/contract/sessions/tcp-frames';
import { call } from '@gatehouse/contract/wire/client';
import { type NativeWorld, startNativeWorld } from '@gatehouse/gateway/testing/db/native-world';
import { type SecurePostgres, startSecurePostgres } from '@gatehouse/gateway/testing/db/secure-postgres';
import { cleanEnvironment, ended, ROOT } from '@gatehouse/testkit/gateway-process';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';

const run = promisify(execFile);
let postgres: SecurePostgres;
let world: NativeWorld;
let folder: string;
let proxy: ChildProcess;
let port: number;
/** What the gateway was asked to upgrade to. */
let upgrades: (string | undefined)[] = [];
const note = ({ headers }: IncomingMessage) => void upgrades.push(headers.upgrade);
beforeAll(async () => {
  postgres = await startSecurePostgres();
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-straight-'));
  world = await startNativeWorld(postgres, { dataDir: join(folder, 'data') });
  world.gateway.app.server.prependListener('upgrade', note);
  const ca = join(folder, 'ca.pem');
  writeFileSync(ca, world.ca);
  const { token } = await call(world.ann.send, apiTokenRoutes.create, { body: { name: 'cli', scope: 'all' } });
  const GATEHOUSE_ADDRESS = `https://localhost:${world.port}`;
  const env = { ...cleanEnvironment(), GATEHOUSE_ADDRESS, GATEHOUSE_TOKEN: token, NODE_EXTRA_CA_CERTS: ca };
  const args = ['proxy', 'db', 'shop', '--db-user', 'by_scram', '--listen', '0', '--format', 'json'];
  proxy = spawn(`${ROOT}/gatehouse`, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(proxy.stdout!, 'data')) as [Buffer];
  port = Number((JSON.parse(String(line)) as { address: string }).address.split(':')[1]);
});
beforeEach(() => {
  upgrades = [];
});
afterAll(async () => {
  if (proxy) await ended(proxy, 'SIGTERM');
  await world?.gateway.close();
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const psql = async (...args: string[]) =>
  (await run('psql', ['-X', '-w', '-At', '-h', '127.0.0.1', '-p', String(port), ...args])).stdout;

test('what psql copies out and in by a stream is the same', async () => {
  const [out, back] = [join(folder, 'out.copy'), join(folder, 'back.copy')];
  const rows = 'select n, md5(n::text) from generate_series(1, 100000) n';
  await psql('-c', `\\copy (${rows}) to '${out}'`);
  await psql('-c', 'create table copied (n int, hash text)', '-c', `\\copy copied from '${out}'`);
  await psql('-c', `\\copy (select * from copied order by n) to '${back}'`);

  expect(upgrades).toEqual([STREAM_UPGRADE, STREAM_UPGRADE, STREAM_UPGRADE]);
  expect(readFileSync(out).length).toBeGreaterThan(3_000_000);
  expect(readFileSync(back).equals(readFileSync(out))).toBe(true);
});

test('where no stream is had, the websocket carries it, and no stream is asked for again', async () => {
  const pass = (request: IncomingMessage) => {
    if (request.headers.upgrade === STREAM_UPGRADE) request.headers['x-forwarded-for'] = '127.0.0.1';
  };
  world.gateway.app.server.prependListener('upgrade', pass);
  onTestFinished(() => void world.gateway.app.server.off('upgrade', pass));

  expect(await psql('-c', 'select current_user')).toBe('by_scram\n');
  expect(await psql('-c', 'select 1')).toBe('1\n');
  expect(upgrades).toEqual([STREAM_UPGRADE, 'websocket', 'websocket']);
});
