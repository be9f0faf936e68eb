/** What is no recording is in no list of recordings; what never was on a screen is told as such, and cannot be played. */

import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { APP_TCP_SOCKET } from '@gatehouse/contract/kinds/app/apps';
import { recordingUpkeepRoutes } from '@gatehouse/contract/recordings/recording-upkeep';
import { recordingRoutes } from '@gatehouse/contract/recordings/recordings';
import { call } from '@gatehouse/contract/wire/client';
import { pathFor } from '@gatehouse/contract/wire/route';
import { openTcpStream } from '@gatehouse/tunnel/sessions/tcp-stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openApp, startAppWorld } from '../../../../testing/apps/app-world.ts';
import { startShellWorld } from '../../../../testing/sessions/shell-world.ts';
import { connectTerminal, opening, tabOf } from '../../../../testing/sessions/terminal-client.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';

const params = { clusterId: 'localhost' };

function newFolder(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-never-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  return dataDir;
}

const list = async (browser: TestBrowser, query = {}) =>
  (await call(browser.send, recordingRoutes.list, { params, query: query as never })).recordings;

test('neither a visit to an application nor a TCP connection is among recordings, by any call', async () => {
  const world = await startAppWorld({ dataDir: newFolder() });
  onTestFinished(() => world.close());
  const { gateway } = world;
  await gateway.addUser('eve', { roles: ['auditor'] });
  const eve = await gateway.signedIn('eve');
  await world.add('web', `http://127.0.0.1:${await world.upstream((_, response) => void response.end('inside'))}`);
  const echo = createServer((socket) => void socket.on('error', () => {}).pipe(socket));
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void echo.close());
  const address = echo.address();
  await world.add('echo', `tcp://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`);

  await openApp(world, world.ann, 'web.localhost');
  const { token } = await call(world.ann.send, apiTokenRoutes.create, { body: { name: 'cli', scope: 'all' } });
  const stream = await openTcpStream({
    door: APP_TCP_SOCKET,
    ...{ origin: `http://127.0.0.1:${world.port}`, token, clusterId: 'localhost', name: 'echo', userAgent: 'test' },
    ...{ proof: '' },
  } as never);
  stream.destroy();
  const sessions = () => gateway.storage.db.selectFrom('session').selectAll().execute();
  await vi.waitFor(async () => expect((await sessions()).map(({ kind }) => kind)).toEqual(['app', 'app']));

  expect(await list(eve)).toEqual([]);
  expect(await list(eve, { kind: 'app' })).toEqual([]);
  expect(await list(eve, { search: 'echo' })).toEqual([]);
  expect(await list(eve, { state: 'disabled' })).toEqual([]);
  const searched = await call(eve.send, recordingRoutes.search, { params, query: { text: 'inside' } as never });
  expect(searched).toMatchObject({ found: [], waiting: 0 });
  expect(await call(eve.send, recordingUpkeepRoutes.coverage, { params })).toMatchObject({ sessions: 0, gaps: [] });
  const ended = await eve.send({ method: 'GET', url: '/v1/webapi/sites/localhost/events/search/sessions' });
  expect(JSON.parse(ended.text)).toMatchObject({ events: [] });
  for (const { id: sid } of await sessions())
    for (const { path } of [recordingRoutes.get, recordingUpkeepRoutes.verify, recordingUpkeepRoutes.file])
      expect((await eve.send({ method: 'GET', url: pathFor(path, { ...params, sid }) })).status).toBe(404);
});

test('a login that was refused is told as never connected, does not play, and is no gap', async () => {
  const world = await startShellWorld({ dataDir: newFolder() });
  onTestFinished(() => world.close());
  await world.gateway.addUser('eve', { roles: ['auditor'] });
  const eve = await world.gateway.signedIn('eve');
  const client = connectTerminal(tabOf(world.gateway.app, world.ann), opening('edge', 'ghost'));
  await client.told('refused');

  await vi.waitFor(async () => expect((await list(eve))[0]?.ended).toBeDefined());
  const [row] = await list(eve);
  expect(row).toMatchObject({ state: 'never_connected', playable: false, login: 'ghost' });
  expect(row?.reason).toContain('ghost');
  expect(await list(eve, { state: 'playable' })).toEqual([]);
  expect(await list(eve, { state: 'never_connected' })).toHaveLength(1);
  const sid = row?.sid ?? '';
  expect(await call(eve.send, recordingRoutes.get, { params: { ...params, sid } })).toMatchObject({ playable: false });
  const played = await eve.send({
    method: 'GET',
    url: `${pathFor(recordingRoutes.playback.path, { ...params, sid })}?seek=0`,
  });
  expect(played.status).toBe(409);
  expect(await call(eve.send, recordingUpkeepRoutes.coverage, { params })).toMatchObject({ sessions: 0, share: 1 });
  const codes = (await world.gateway.events()).map(({ code }) => code);
  expect(codes).toContain('T2000I');
  expect(codes).not.toContain('T2010I');
  expect(codes).not.toContain('T2006I');
});
