import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHANGES_SOCKET, type ChangeFrame } from '@gatehouse/contract/identity/change-frames';
import { type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { startPostgres, type TestPostgres } from '@gatehouse/testkit/postgres';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { becomeUser } from '../../testing/become-user.ts';

let postgres: TestPostgres;
let first: GatewayProcess;
let second: GatewayProcess;
const keys = mkdtempSync(join(tmpdir(), 'gatehouse-keys-'));

beforeAll(async () => {
  postgres = await startPostgres();
  const settings = {
    GATEHOUSE_STORAGE_URL: await postgres.createDatabase(),
    GATEHOUSE_SECRETS_KEY_FILE: join(keys, 'secrets.key'),
  };
  first = await startGateway(settings);
  second = await startGateway(settings);
});
afterAll(async () => {
  await Promise.all([first?.stop(), second?.stop()]);
  await postgres?.stop();
  rmSync(keys, { recursive: true, force: true });
});

test('what one gateway commits is heard on the sockets of the other soon, and a sign-out ends them', async () => {
  const ann = await becomeUser(first, { name: 'ann', roles: 'access', at: second });
  const frames: ChangeFrame[] = [];
  const socket = new WebSocket(`${second.origin.replace('http', 'ws')}${CHANGES_SOCKET}`, {
    headers: { cookie: ann.cookie },
    origin: second.origin,
  });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('message', (data) => frames.push(JSON.parse(String(data)) as ChangeFrame));
  socket.on('open', () => socket.send(JSON.stringify({ type: 'hello', token: ann.bearer })));
  await expect.poll(() => frames, { timeout: 5_000 }).toContainEqual({ type: 'ready' });

  await first.command('alerts', 'add', 'from the first gateway');
  await expect.poll(() => frames, { timeout: SOON_MS, interval: 10 }).toContainEqual({ type: 'alerts' });

  // Signed out at the first gateway, where the sign-in was never used before.
  const headers = { cookie: ann.cookie, authorization: `Bearer ${ann.bearer}`, origin: first.origin };
  const csrf = /grv_csrf=([0-9a-f]+)/.exec(ann.cookie)?.[1] ?? '';
  const signOut = await fetch(`${first.origin}/v1/webapi/sessions/web`, {
    method: 'DELETE',
    headers: { ...headers, 'x-csrf-token': csrf },
  });
  expect(signOut.status).toBe(200);
  await Promise.race([
    closed,
    new Promise((_, reject) => setTimeout(() => reject(new Error('the socket is still open')), SOON_MS)),
  ]);
  const after = await fetch(`${second.origin}/v1/webapi/user/status`, {
    headers: { ...headers, origin: second.origin },
  });
  expect(after.status).toBe(403);
});
