/** `gatehouse db login` as people run it: psql then comes straight to the gateway. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { call } from '@gatehouse/contract/wire/client';
import { type NativeWorld, startNativeWorld } from '@gatehouse/gateway/testing/db/native-world';
import { type SecurePostgres, startSecurePostgres } from '@gatehouse/gateway/testing/db/secure-postgres';
import { cleanEnvironment, ROOT } from '@gatehouse/testkit/gateway-process';
import { afterAll, beforeAll, expect, test } from 'vitest';

const run = promisify(execFile);
let postgres: SecurePostgres;
let world: NativeWorld;
let home: string;
beforeAll(async () => {
  postgres = await startSecurePostgres();
  world = await startNativeWorld(postgres);
  home = mkdtempSync(join(tmpdir(), 'gatehouse-login-'));
});
afterAll(async () => {
  await world?.gateway.close();
  await postgres?.stop();
  rmSync(home, { recursive: true, force: true });
});

test('psql is let in by the name of the service, what was there stays, and logout takes it away', async () => {
  const { token } = await call(world.ann.send, apiTokenRoutes.create, { body: { name: 'cli', scope: 'all' } });
  const trust = join(home, 'ca.pem');
  writeFileSync(trust, world.ca);
  const services = join(home, '.pg_service.conf');
  writeFileSync(services, '# mine\n[mine]\nhost=elsewhere\n');
  const origin = `https://localhost:${world.port}`;
  const env = {
    ...{ ...cleanEnvironment(), HOME: home, XDG_CONFIG_HOME: join(home, 'config') },
    ...{ GATEHOUSE_ADDRESS: origin, GATEHOUSE_TOKEN: token, NODE_EXTRA_CA_CERTS: trust },
  };
  const gatehouse = (...args: string[]) => run(`${ROOT}/gatehouse`, ['db', ...args], { env });
  const psql = () => run('psql', ['-X', '-w', '-At', '-d', 'service=shop', '-c', 'select current_user'], { env });

  await gatehouse('login', 'shop', '--db-user', 'by_scram');
  expect((await psql()).stdout).toBe('by_scram\n');
  const written = readFileSync(services, 'utf8');
  expect(written).toMatch(/^# mine\n\[mine\]\nhost=elsewhere\n\[shop\]\n/);
  const key = /sslkey=(.*)/.exec(written)?.[1] ?? '';
  expect(statSync(key).mode & 0o777).toBe(0o600);
  await expect(gatehouse('login', 'mine', '--db-user', 'by_scram')).rejects.toThrow();

  await gatehouse('logout', 'shop');
  expect(readFileSync(services, 'utf8')).toBe('# mine\n[mine]\nhost=elsewhere\n');
  expect(() => statSync(key)).toThrow();
  await expect(psql()).rejects.toThrow();
});
