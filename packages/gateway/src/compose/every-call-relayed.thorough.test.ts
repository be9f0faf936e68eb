/**
 * Every route and socket of the contract that names a cluster, asked at a leaf by somebody of its own and through the relay by
 * somebody of its root who holds the same there: equal but for names. Generated, so that nothing is forgotten.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { allRoutes } from '@gatehouse/contract/api/api';
import { SOCKETS } from '@gatehouse/contract/api/sockets';
import { recordingRoutes } from '@gatehouse/contract/recordings/recordings';
import { LIVE_SESSIONS_SOCKET } from '@gatehouse/contract/sessions/live-frames';
import { call } from '@gatehouse/contract/wire/client';
import { paramNames, pathFor } from '@gatehouse/contract/wire/route';
import { SOON_MS } from '@gatehouse/testkit/soon';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { LEAF, type LeafWorld, startLeafWorld } from '../../testing/relay/leaf-world.ts';
import { sampleBody } from '../../testing/relay/sample-body.ts';
import { connectTerminal, opening, tabOf } from '../../testing/sessions/terminal-client.ts';
import type { TestBrowser } from '../../testing/test-browser.ts';

interface Side {
  app: FastifyInstance;
  browser: TestBrowser;
  clusterId: string;
  /** Each makes things of its own. */
  word: string;
}

let world: LeafWorld;
let here: Side;
let relayed: Side;
/** What is there to be read, by the names of parameters. */
let known: Record<string, string>;
const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-every-'));

beforeAll(async () => {
  world = await startLeafWorld({ dataDir });
  await world.root.addUser('twin', { roles: ['access', 'editor'] });
  await world.leaf.gateway.addUser('twin', { roles: ['dev', 'editor'] });
  here = {
    app: world.leaf.gateway.app,
    browser: await world.leaf.gateway.signedIn('twin'),
    clusterId: '-current-',
    word: 'aside',
  };
  relayed = { app: world.root.app, browser: await world.root.signedIn('twin'), clusterId: LEAF, word: 'bside' };
  const client = connectTerminal(tabOf(here.app, here.browser), opening('edge', 'ubuntu'));
  const { sid } = await client.state;
  client.type('ls\r');
  await client.until(/ls/);
  client.type('exit');
  await client.told('ended');
  const { id } = await world.leaf.gateway.storage.db.selectFrom('resource').select('id').executeTakeFirstOrThrow();
  known = { sid, id, login: 'ubuntu' };
  // It is read once it is over: between two calls it would be told with what is found in it, and without.
  const recording = { params: { clusterId: here.clusterId, sid } };
  await vi.waitFor(
    async () =>
      expect(await call(here.browser.send, recordingRoutes.get, recording)).toMatchObject({ markersComplete: true }),
    { timeout: SOON_MS, interval: 50 },
  );
});
afterAll(async () => {
  await world?.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const routes = allRoutes()
  .filter(({ route }) => paramNames(route.path).includes('clusterId') && route.auth !== 'public')
  .map(({ route }) => ({ title: `${route.method} ${route.path}`, route }));

/** What happens between two calls is in these: they are held to the same shape. */
const MOVING = /\/(events|audit|alerts|sessions|recordings|export|live-sessions|recording-coverage|users|locks)\b/;
/** Of an answer, what its reader goes by. */
const HEADERS = ['content-type', 'content-disposition', 'accept-ranges', 'content-range', 'content-encoding', 'vary'];

async function ask({ app, browser, clusterId, word }: Side, { method, path, body }: (typeof routes)[number]['route']) {
  // Calls without a socket never leave the turn they are made in: without this nothing would be heard from the store.
  await setImmediate();
  const isReading = method === 'GET';
  const params = paramNames(path).map((name) => [
    name,
    name === 'clusterId' ? clusterId : ((isReading ? known[name] : undefined) ?? word),
  ]);
  const answer = await app.inject({
    method,
    url: pathFor(path, Object.fromEntries(params)),
    headers: {
      host: 'localhost:3080',
      cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      authorization: `Bearer ${browser.bearer}`,
      ...(isReading ? {} : { origin: 'http://localhost:3080', 'x-csrf-token': browser.cookies.get('grv_csrf') ?? '' }),
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { payload: JSON.stringify(sampleBody(body, word)) } : {}),
  });
  const headers = Object.fromEntries(HEADERS.map((name) => [name, plain(String(answer.headers[name]))]));
  return { status: answer.statusCode, headers, said: answer.body };
}

/** Without what differs between two people, two calls and two moments. */
function plain(text: string): string {
  return (
    text
      .replaceAll('root/', '')
      .replaceAll(/[ab]side/g, 'side')
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replaceAll(/[0-9a-f]{32,}/g, 'HASH')
      .replaceAll(/"ms":[\d.]+/g, '"ms":0')
      // Only at home.
      .replace('"hasPassword":true', '"hasPassword":false')
  );
}

/** Which fields there are, of lists those of the first. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])];
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shapeOf(each)]));
}

function compared(path: string, { status, headers, said }: Awaited<ReturnType<typeof ask>>) {
  if (!MOVING.test(path) || status !== 200) return { status, headers, said: plain(said) };
  const isJson = headers['content-type']?.startsWith('application/json');
  return { status, headers, said: isJson ? shapeOf(JSON.parse(said)) : said.length > 0 };
}

const UNREACHABLE = 504;
const answered: number[] = [];

test.each(routes)('$title is answered through the relay as it is there', async ({ route }) => {
  const there = await ask(relayed, route);
  const local = await ask(here, route);

  expect(compared(route.path, there)).toEqual(compared(route.path, local));
  expect(there.status).not.toBe(UNREACHABLE);
  answered.push(there.status);
});

test.each(routes)('$title is refused through the relay as it is there', async ({ route }) => {
  const there = await ask({ ...relayed, browser: world.ann }, route);
  const local = await ask({ ...here, browser: world.leaf.ann }, route);

  expect(compared(route.path, there)).toEqual(compared(route.path, local));
});

test('many of them were answered with something', () => {
  expect(answered.length).toBe(routes.length);
  expect(answered.filter((status) => status === 200).length).toBeGreaterThan(40);
});

async function firstWords({ app, browser, clusterId, word }: Side, path: string): Promise<string> {
  const { port } = app.server.address() as AddressInfo;
  const names = paramNames(path).map((name) => [name, name === 'clusterId' ? clusterId : (known[name] ?? word)]);
  const params = encodeURIComponent(JSON.stringify({ login: 'ubuntu', server_id: known.id, term: { h: 24, w: 80 } }));
  const url = `${pathFor(path, Object.fromEntries(names))}?access_token=${browser.bearer}&params=${params}`;
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const socket = new WebSocket(`ws://127.0.0.1:${port}${url}`, {
    headers: { host: 'localhost:3080', origin: 'http://localhost:3080', cookie },
  });
  socket.on('error', () => undefined);
  socket.on('open', () => {
    socket.send(JSON.stringify({ type: 'hello', token: browser.bearer }));
    // Not what most of them wait for: that is told as well.
    if (path !== LIVE_SESSIONS_SOCKET)
      socket.send(JSON.stringify({ type: 'open', server: word, desktop: word, login: word, dbUser: word }));
  });
  try {
    return await Promise.race([
      once(socket, 'message').then(([data, isBinary]) => `${isBinary ? 'binary' : 'text'} ${plain(String(data))}`),
      once(socket, 'close').then(([code, reason]) => `closed ${code} ${reason}`),
    ]);
  } finally {
    socket.terminate();
  }
}

test.each(SOCKETS.filter((path) => paramNames(path).includes('clusterId')))(
  '%s says through the relay what it says there',
  async (path) => {
    expect(await firstWords(relayed, path)).toBe(await firstWords(here, path));
  },
);
