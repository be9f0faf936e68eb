/** Leaves that come, go, are removed and come again, over a real tunnel. */
import { once } from 'node:events';
import type { FastifyInstance } from 'fastify';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import {
  type LeafEnd,
  type LeafOptions,
  type RootEnd,
  startLeaf,
  startLine,
  startRoot,
} from '../../../testing/relay/trusting-ends.ts';
import { remoteVisit } from '../../platform/http/relayed-door.ts';
import { openSocketDoor } from '../../platform/http/socket-door.ts';
import type { HearNews, NewsLine } from '../../platform/std/news-line.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function startRootEnd(options?: Parameters<typeof startRoot>[0]): Promise<RootEnd> {
  const root = await startRoot(options);
  closing.push(() => root.close());
  return root;
}

async function startLeafEnd(options: Partial<LeafOptions> = {}): Promise<LeafEnd> {
  const leaf = await startLeaf({
    name: 'east',
    addRoutes: (app) => void app.get('/v1/sites/:clusterId/who', async (request) => remoteVisit(request)),
    ...options,
  });
  closing.push(() => leaf.close());
  return leaf;
}

function join(root: RootEnd, leaf: LeafEnd, port = root.port): void {
  root.leaves.set([...root.leaves.rows, leaf.row]);
  leaf.trusts.set([{ name: 'home', enabled: true, address: `http://127.0.0.1:${port}`, ended: undefined }]);
}

const connected = (root: RootEnd) => expect.poll(() => root.live.size).toBe(1);
const ask = (root: RootEnd, name = 'east') => fetch(`http://127.0.0.1:${root.port}/v1/sites/${name}/who`);

test('a call goes through the tunnel that the leaf dialled, and is served there for whom the root vouches', async () => {
  const [root, leaf] = [await startRootEnd(), await startLeafEnd()];
  join(root, leaf);
  await connected(root);

  const answer = await ask(root);

  expect(await answer.json()).toMatchObject({ trust: 'home', username: 'home/ann' });
  expect(root.live.state('id-east')).toMatchObject({ isConnected: true, version: expect.any(String) });
  await expect.poll(() => leaf.roots.state('home').isConnected).toBe(true);
  expect(root.told).toEqual(['east connected']);
  expect(root.noted).toContain('id-east');
});

test('whoever the leaf does not let in hears why, in its words', async () => {
  const [root, leaf] = [await startRootEnd(), await startLeafEnd({ admitted: [] })];
  join(root, leaf);
  await connected(root);

  const answer = await ask(root);

  expect(answer.status).toBe(403);
  expect(await answer.json()).toMatchObject({ message: "none of your roles is mapped in 'east'" });
});

test('a leaf that is not there is told with since when, and is back by itself', async () => {
  const [root, leaf] = [await startRootEnd(), await startLeafEnd()];
  const line = await startLine(root.port);
  closing.push(() => line.close());
  expect((await ask(root)).status).toBe(404);
  root.leaves.set([leaf.row]);
  expect((await (await ask(root)).json()).message).toBe("'east' has never been connected");
  root.leaves.set([]);
  join(root, leaf, line.port);
  await connected(root);

  line.server.close();
  line.cut();
  await expect.poll(() => root.live.size).toBe(0);
  const answer = await ask(root);

  expect(answer.status).toBe(504);
  expect((await answer.json()).message).toMatch(/^'east' is not connected since \d{4}-/);
  await expect.poll(() => root.told).toEqual(['east connected', expect.stringMatching(/^east gone: /)]);

  line.server.listen(line.port, '127.0.0.1');
  await once(line.server, 'listening');
  await connected(root);
  await expect.poll(() => root.told.at(-1)).toBe('east connected');
});

test('a line that breaks for a moment is nobody to tell', async () => {
  const [root, leaf] = [await startRootEnd({ graceMs: 5_000 }), await startLeafEnd()];
  const line = await startLine(root.port);
  closing.push(() => line.close());
  join(root, leaf, line.port);
  await connected(root);
  const before = root.live.state('id-east');

  line.cut();
  await expect
    .poll(() => root.live.size === 1 && root.live.get('id-east') !== undefined && root.live.state('id-east') !== before)
    .toBe(true);
  await expect.poll(async () => (await ask(root)).status).toBe(200);

  expect(root.told).toEqual(['east connected']);
});

test('a leaf that is removed is told so, and does not come back until it joins again', async () => {
  const [root, leaf] = [await startRootEnd(), await startLeafEnd()];
  join(root, leaf);
  await connected(root);

  root.leaves.set([]);
  await expect.poll(() => leaf.ended).toEqual([expect.stringContaining('removed there')]);
  expect(root.live.size).toBe(0);
  expect(leaf.roots.state('home')).toMatchObject({ isConnected: false, trouble: expect.stringContaining('removed') });

  // Joined again.
  root.leaves.set([leaf.row]);
  leaf.trusts.set(leaf.trusts.rows.map((each) => ({ ...each, ended: undefined })));
  await connected(root);
});

test('one that nobody knows is refused, and told what to do', async () => {
  const [root, leaf] = [await startRootEnd(), await startLeafEnd()];
  leaf.trusts.set([{ name: 'home', enabled: true, address: `http://127.0.0.1:${root.port}`, ended: undefined }]);

  await expect.poll(() => leaf.ended).toEqual([expect.stringContaining('join again with a new token')]);
});

test('a trust that is disabled at the leaf hangs up, and dials again once it is enabled', async () => {
  const [root, leaf] = [await startRootEnd(), await startLeafEnd()];
  join(root, leaf);
  await connected(root);
  const rows = leaf.trusts.rows;

  leaf.trusts.set(rows.map((each) => ({ ...each, enabled: false })));
  await expect.poll(() => root.live.size).toBe(0);
  expect(leaf.ended).toEqual([]);

  leaf.trusts.set(rows);
  await connected(root);
});

test('a key that is trusted no more ends the tunnel it proved', async () => {
  const [root, leaf] = [await startRootEnd(), await startLeafEnd()];
  join(root, leaf);
  await connected(root);

  root.leaves.set([{ ...leaf.row, key: 'A'.repeat(43) }]);

  await expect.poll(() => leaf.ended).toEqual([expect.stringContaining('join again')]);
});

test('a second tunnel of the same leaf takes the place of the first', async () => {
  const root = await startRootEnd();
  const leaf = await startLeafEnd();
  join(root, leaf);
  await connected(root);
  const first = root.live.get('id-east');

  leaf.trusts.set([...leaf.trusts.rows, { ...leaf.trusts.rows[0]!, name: 'again' }]);
  await expect.poll(() => root.live.get('id-east') !== first).toBe(true);

  expect(root.live.size).toBe(1);
  leaf.trusts.set([leaf.trusts.rows[1]!]);
});

test('nothing is left open of calls that were answered, refused or given up', async () => {
  const addRoutes = (app: FastifyInstance) => {
    app.get('/v1/sites/:clusterId/who', async (request) => remoteVisit(request));
    app.post('/v1/sites/:clusterId/who', async (request) => request.body);
    app.get('/v1/sites/:clusterId/never', () => new Promise(() => {}));
  };
  const admitted = ['ann'];
  const [root, leaf] = [await startRootEnd(), await startLeafEnd({ addRoutes, admitted })];
  join(root, leaf);
  await connected(root);
  const url = `http://127.0.0.1:${root.port}/v1/sites/east`;
  const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"a":1}' };

  for (let count = 0; count < 50; count++) expect((await ask(root)).status).toBe(200);
  await Promise.all(Array.from({ length: 50 }, async () => void (await (await fetch(`${url}/who`, json)).text())));
  expect((await fetch(`${url}/nothing`)).status).toBe(501);
  admitted.length = 0;
  for (let count = 0; count < 20; count++) expect((await fetch(`${url}/who`, json)).status).toBe(403);
  admitted.push('ann');
  const gone = new AbortController();
  const given = Array.from({ length: 20 }, () => fetch(`${url}/never`, { signal: gone.signal }).catch(() => {}));
  const tunnel = root.live.get('id-east')!;
  await expect.poll(() => tunnel.openStreams).toBe(20);
  gone.abort();
  await Promise.all(given);

  await expect.poll(() => tunnel.openStreams).toBe(0);
});

test('what is open at a leaf breaks with its tunnel, and whoever waits hears so', async () => {
  const addRoutes = (app: FastifyInstance) => {
    app.get('/v1/sites/:clusterId/never', () => new Promise(() => {}));
    openSocketDoor(app).add('/v1/sites/:clusterId/echo', async (_request, accept) => {
      const socket = await accept();
      socket.on('message', (data) => socket.send(data));
    });
  };
  const [root, leaf] = [await startRootEnd(), await startLeafEnd({ addRoutes })];
  const line = await startLine(root.port);
  closing.push(() => line.close());
  join(root, leaf, line.port);
  await connected(root);
  const socket = new WebSocket(`ws://127.0.0.1:${root.port}/v1/sites/east/echo`);
  await once(socket, 'open');
  socket.send('x');
  await once(socket, 'message');
  const waiting = fetch(`http://127.0.0.1:${root.port}/v1/sites/east/never`);
  await expect.poll(() => root.live.get('id-east')?.openStreams).toBe(2);

  line.cut();

  await once(socket, 'close');
  const answer = await waiting;
  expect(answer.status).toBe(504);
  expect((await answer.json()).message).toContain("'east'");
});

function lineOf(): { line?: NewsLine; heard: unknown[]; begin(line: NewsLine): HearNews } {
  const held = {
    line: undefined as NewsLine | undefined,
    heard: [] as unknown[],
    begin(line: NewsLine): HearNews {
      held.line = line;
      return (message) => {
        if (message === 'wrong') throw new Error('that is no news');
        held.heard.push(message);
      };
    },
  };
  return held as ReturnType<typeof lineOf>;
}

test('news travel both ways in order, and one that cannot be understood makes the leaf come anew', async () => {
  const [there, here] = [lineOf(), lineOf()];
  const root = await startRootEnd({ news: { withLeaf: (_id, line) => here.begin(line) } });
  const leaf = await startLeafEnd({ news: { withRoot: (_trust, line) => there.begin(line) } });
  join(root, leaf);
  await expect.poll(() => Boolean(here.line && there.line)).toBe(true);
  const first = here.line!;
  for (let count = 0; count < 100; count++) {
    first.say({ count });
    there.line!.say({ from: 'the leaf', count });
  }
  await expect.poll(() => [here.heard.length, there.heard.length]).toEqual([100, 100]);
  expect(there.heard[99]).toEqual({ count: 99 });

  there.line!.say('wrong' as unknown as object);
  await expect.poll(() => here.line !== first).toBe(true);
  expect(first.over.aborted).toBe(true);
});

test('news that are too long are not sent', async () => {
  const here = lineOf();
  const root = await startRootEnd({ news: { withLeaf: (_id, line) => here.begin(line) } });
  const leaf = await startLeafEnd({ news: { withRoot: () => () => {} } });
  join(root, leaf);
  await expect.poll(() => Boolean(here.line)).toBe(true);

  expect(() => here.line!.say({ text: 'x'.repeat(300_000) })).toThrow('news of that length');
});

test('each gateway of a leaf keeps its own tunnel; when one is gone, calls go by another, and nobody reads of it', async () => {
  const root = await startRootEnd();
  const says = (word: string) => (app: FastifyInstance) =>
    void app.get('/v1/sites/:clusterId/who', async () => ({ gateway: word }));
  const first = await startLeafEnd({ addRoutes: says('first') });
  const second = await startLeafEnd({ addRoutes: says('second'), of: first });
  join(root, first);
  await connected(root);
  second.trusts.set(first.trusts.rows);
  await expect.poll(() => second.roots.state('home').isConnected).toBe(true);
  const by = async () => (await (await ask(root)).json()).gateway;
  for (let count = 0; count < 3; count++) expect(await by()).toBe('first');
  expect(first.roots.state('home').isConnected).toBe(true);

  await first.roots.close();
  await expect.poll(by).toBe('second');
  expect(root.live.state('id-east').isConnected).toBe(true);
  expect(root.told).toEqual(['east connected']);
  await second.roots.close();
  await expect.poll(() => root.told).toEqual(['east connected', expect.stringContaining('east gone')]);
});

test('a leaf that says it ended the trust is written down as that, and one that closes is not', async () => {
  const [root, leaf] = [await startRootEnd(), await startLeafEnd()];
  join(root, leaf);
  await connected(root);
  leaf.trusts.set(leaf.trusts.rows.map((each) => ({ ...each, enabled: false })));
  await expect.poll(() => root.noted).toContain('id-east left');

  root.noted.length = 0;
  leaf.trusts.set(leaf.trusts.rows.map((each) => ({ ...each, enabled: true })));
  await connected(root);
  await leaf.roots.close();
  await expect.poll(() => root.live.size).toBe(0);
  expect(root.noted).not.toContain('id-east left');
});

test('a leaf that opens tunnels without end has a few of them', async () => {
  const root = await startRootEnd();
  const first = await startLeafEnd();
  join(root, first);
  await connected(root);
  const more = await Promise.all(Array.from({ length: 9 }, () => startLeafEnd({ of: first })));
  for (const leaf of more) {
    leaf.trusts.set(first.trusts.rows);
    await expect.poll(() => JSON.stringify(leaf.roots.state('home'))).toMatch(/true|connected already/);
  }
  const connectedOnes = () => [first, ...more].filter(({ roots }) => roots.state('home').isConnected);

  await expect.poll(() => connectedOnes().length).toBe(8);
  expect(connectedOnes()).toContain(first);
});
