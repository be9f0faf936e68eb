/** What a relayed call costs on the tunnel: one question, one answer, and nothing that only says that it is over. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type LeafEnd, type RootEnd, startLeaf, startRoot } from '../../../testing/relay/trusting-ends.ts';

const HEAD_BYTES = 9;
const DATA = 0;
const HEADERS = 1;
const RESET = 3;
const END_STREAM = 1;
const CALLS = 20;

interface Frame {
  type: number;
  isLast: boolean;
}

/** Frames that belong to no stream are of the tunnel, and may come at any time. */
function framesOf(bytes: Buffer): Frame[] {
  const frames: Frame[] = [];
  for (let at = 0; at < bytes.length; at += HEAD_BYTES + bytes.readUIntBE(at, 3)) {
    const [type, flags] = [bytes[at + 3]!, bytes[at + 4]!];
    if (type === DATA || type === HEADERS || type === RESET) frames.push({ type, isLast: (flags & END_STREAM) !== 0 });
  }
  return frames;
}

/** A line between the two, and what goes over it from now on. */
async function tapped(port: number) {
  const heard: { ofRoot: Buffer[]; ofLeaf: Buffer[] } = { ofRoot: [], ofLeaf: [] };
  const line = createServer((leaf) => {
    const root = connect(port, '127.0.0.1');
    for (const [from, to, kept] of [
      [leaf, root, 'ofLeaf'],
      [root, leaf, 'ofRoot'],
    ] as const)
      from
        .on('data', (data: Buffer) => {
          heard[kept].push(data);
          to.write(data);
        })
        .on('error', () => to.destroy())
        .on('close', () => to.destroy());
  }).listen(0, '127.0.0.1');
  await once(line, 'listening');
  onTestFinished(() => void line.close());
  return { heard, port: (line.address() as AddressInfo).port };
}

async function joined(): Promise<{ root: RootEnd; leaf: LeafEnd; heard: { ofRoot: Buffer[]; ofLeaf: Buffer[] } }> {
  const root = await startRoot();
  const leaf = await startLeaf({
    name: 'east',
    addRoutes: (app) => {
      app.get('/v1/sites/:clusterId/list', async () => ({ items: ['web-1'] }));
      app.post('/v1/sites/:clusterId/told', async (request) => request.body);
    },
  });
  onTestFinished(async () => {
    await leaf.close();
    await root.close();
  });
  const line = await tapped(root.port);
  root.leaves.set([leaf.row]);
  leaf.trusts.set([{ name: 'root', enabled: true, address: `http://127.0.0.1:${line.port}`, ended: undefined }]);
  await vi.waitUntil(() => root.live.size === 1, { timeout: SOON_MS, interval: 5 });
  // What both said of themselves is over once a call has been answered.
  await (await fetch(`http://127.0.0.1:${root.port}/v1/sites/east/list`)).text();
  await quiet(root);
  for (const pieces of Object.values(line.heard)) pieces.length = 0;
  return { root, leaf, heard: line.heard };
}

async function quiet({ live, leaves }: RootEnd): Promise<void> {
  const tunnel = live.get(leaves.rows[0]!.id)!;
  await vi.waitUntil(() => tunnel.openStreams === 0, { timeout: SOON_MS, interval: 5 });
  // Behind whatever was on its way.
  await tunnel.ping();
  await turn();
}

test('is one head and one piece each way, of which the piece says that it was the last', async () => {
  const { root, heard } = await joined();
  const body = JSON.stringify({ text: 'x'.repeat(1000) });
  for (let call = 0; call < CALLS; call++) {
    const list = await fetch(`http://127.0.0.1:${root.port}/v1/sites/east/list`);
    expect(await list.json()).toEqual({ items: ['web-1'] });
  }
  await quiet(root);
  const once = [
    { type: HEADERS, isLast: false },
    { type: DATA, isLast: true },
  ];
  const calls = Array.from({ length: CALLS }, () => once).flat();
  expect(framesOf(Buffer.concat(heard.ofRoot))).toEqual(calls);
  expect(framesOf(Buffer.concat(heard.ofLeaf))).toEqual(calls);

  for (const pieces of Object.values(heard)) pieces.length = 0;
  const told = await fetch(`http://127.0.0.1:${root.port}/v1/sites/east/told`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  expect(await told.text()).toBe(body);
  await quiet(root);
  expect(framesOf(Buffer.concat(heard.ofLeaf))).toEqual(once);
  expect(framesOf(Buffer.concat(heard.ofRoot)).filter(({ type }) => type === RESET)).toEqual([]);
});
