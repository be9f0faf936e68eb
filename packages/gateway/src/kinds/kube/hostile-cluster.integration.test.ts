import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { kubePassRoutes } from '@gatehouse/contract/kinds/kube/kube-pass';
import { kubeRoutes } from '@gatehouse/contract/kinds/kube/kubernetes';
import { call } from '@gatehouse/contract/wire/client';
import { byteByByte, type KubeLiar, startKubeLiar } from '@gatehouse/testkit/kube/kube-liar';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { KUBE_CLUSTER, type KubeWorld, startKubeWorld } from '../../../testing/kube/kube-world.ts';

const PODS = '/api/v1/namespaces/default/pods';
const TRUTH = '{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}';
const MEGABYTE = 1024 * 1024;

let world: KubeWorld;
let liar: KubeLiar;
let pass: string;
/** Of somebody who sees one pod alone, so that lists are read and not only passed on. */
let filtered: string;

beforeAll(async () => {
  [world, liar] = await Promise.all([startKubeWorld(), startKubeLiar()]);
  const credential = { token: 'secret-of-the-gateway' };
  const body = { name: 'liar', labels: { env: 'dev' }, server: liar.url, ca: liar.ca, credential };
  await call(world.admin.send, kubeRoutes.add, { params: KUBE_CLUSTER, body });
  const one = "kubernetes_resources: [{kind: pods, api_group: '', namespace: default, name: seen, verbs: ['*']}]";
  const bob = await world.person('bob', `kubernetes_labels: {env: dev}, kubernetes_groups: [view], ${one}`);
  const give = async (who: typeof bob) =>
    (await call(who.send, kubePassRoutes.give, { params: { ...KUBE_CLUSTER, name: 'liar' }, body: {} })).token;
  [pass, filtered] = [await give(world.ann), await give(bob)];
});
afterAll(async () => {
  await world?.close();
  await liar?.stop();
});

async function open(target: string, token = pass): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json' };
  const asked = request(`${world.origin}/v1/kube/liar${target}`, { headers, agent: false });
  asked.on('error', () => {});
  asked.end();
  const signal = AbortSignal.timeout(4 * SOON_MS);
  const [response] = (await once(asked, 'response', { signal })) as [IncomingMessage];
  response.on('error', () => {});
  return response;
}

interface Heard {
  /** 0: cut before its head came. */
  status: number;
  /** It ended as answers end, and was not cut. */
  whole: boolean;
  text: string;
  headers: IncomingMessage['headers'];
}

async function hear(target: string, token = pass): Promise<Heard> {
  const response = await open(target, token).catch((error: Error) => {
    if ('code' in error && error.code === 'ECONNRESET') return undefined;
    throw error;
  });
  if (response === undefined) return { status: 0, whole: false, text: '', headers: {} };
  let text = '';
  response.on('data', (bytes: Buffer) => {
    text += bytes.toString('latin1');
  });
  await new Promise((resolve) => response.once('close', resolve));
  return { status: response.statusCode ?? 0, whole: response.complete, text, headers: response.headers };
}

const answer = (head: string, body = '') => `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${head}\r\n${body}`;
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const honest = answer(`Content-Length: ${TRUTH.length}\r\n`, TRUTH);

/** After every lie: the gateway is there, and the next answer is nobody else's. */
async function isWell(): Promise<void> {
  liar.tell((_, socket) => void socket.write(honest));
  expect(await hear(PODS)).toMatchObject({ status: 200, whole: true, text: TRUTH });
}

test('an answer that comes byte by byte is the same, in one length and in pieces', async () => {
  for (const told of [
    honest,
    answer('Transfer-Encoding: chunked\r\n', `${chunk('{"kind":"PodL')}${chunk('ist"}')}0\r\n\r\n`),
  ]) {
    liar.tell((_, socket) => void byteByByte(socket, told));
    const { text } = await hear(PODS);
    expect(JSON.parse(text)).toMatchObject({ kind: 'PodList' });
  }
  await isWell();
});

test('cut at every byte, an answer is told as broken or unreachable, and never as whole', async () => {
  const told = answer(
    'Transfer-Encoding: chunked\r\n',
    `${chunk('{"kind":"PodList",')}${chunk('"items":[]}')}0\r\n\r\n`,
  );
  for (let length = 0; length < told.length; length += 7) {
    liar.tell((_, socket) => void socket.end(told.slice(0, length)));
    const { status, whole, text } = await hear(PODS);
    const isRefused = status === 503 && JSON.parse(text).kind === 'Status';
    expect([length, isRefused || !whole]).toEqual([length, true]);
  }
  await isWell();
});

test.each([
  ['no HTTP', 'SSH-2.0-OpenSSH_9.2\r\n\r\n'],
  ['both ways to tell its length', answer(`Content-Length: 3\r\nTransfer-Encoding: chunked\r\n`, '0\r\n\r\n')],
  ['two lengths', answer('Content-Length: 3\r\nContent-Length: 4\r\n', 'abcd')],
  ['a length below nothing', answer('Content-Length: -1\r\n')],
  [
    'a switch of protocols nobody asked for',
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: SPDY/3.1\r\nConnection: Upgrade\r\n\r\n',
  ],
  ['a broken line in its head', 'HTTP/1.1 200 OK\r\nX-A: b\nX-B\r\n\r\n'],
  ['a byte of nothing in its head', 'HTTP/1.1 200 OK\r\nX-A: \0\r\nContent-Length: 0\r\n\r\n'],
])('%s is told as a fault of the cluster', async (_, told) => {
  liar.tell((__, socket) => void socket.end(told, 'latin1'));
  const { status, text } = await hear(PODS);
  expect([status, JSON.parse(text)]).toMatchObject([503, { kind: 'Status', reason: 'ServiceUnavailable' }]);
  await isWell();
});

test.each([
  ['a piece of no length', 'zz\r\n'],
  ['a piece longer than there are bytes', 'ffffffffffffffff\r\nabc'],
  ['a piece that goes on behind its end', '3\r\nabcdef\r\n0\r\n\r\n'],
])('%s breaks the answer off, or is told before it has begun', async (_, told) => {
  liar.tell((__, socket) => void socket.end(answer('Transfer-Encoding: chunked\r\n', told)));
  const { whole, status } = await hear(PODS);
  expect(status === 503 || !whole).toBe(true);
  await isWell();
});

test('what comes behind an answer is nobody else’s', async () => {
  const smuggled = answer('Content-Length: 7\r\n', 'another');
  liar.tell((_, socket) => void socket.write(honest + smuggled));
  expect((await hear(PODS)).text).toBe(TRUTH);
  await isWell();
});

test('a head without an end is not kept for ever', async () => {
  liar.tell((_, socket) => void floodHead(socket));
  const { status } = await hear(PODS);
  expect(status).toBe(503);
  await isWell();
});

async function floodHead(socket: TLSSocket): Promise<void> {
  socket.write('HTTP/1.1 200 OK\r\n');
  while (!socket.destroyed) {
    if (!socket.write(`X-Filler: ${'a'.repeat(4_000)}\r\n`)) await roomOrClosed(socket);
  }
}

/** Leaves nobody waiting at the socket, which is filled again and again. */
function roomOrClosed(socket: TLSSocket): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.off('drain', done).off('close', done);
      resolve();
    };
    socket.on('drain', done).on('close', done);
  });
}

test('headers that would mean something to a browser or belong to the hop stay behind', async () => {
  const odd = 'Set-Cookie: session=stolen\r\nConnection: X-Hop\r\nX-Hop: 1\r\nAccess-Control-Allow-Origin: *\r\n';
  liar.tell((_, socket) => void socket.write(answer(`${odd}Content-Length: 2\r\n`, '{}')));
  const { headers } = await hear(PODS);
  expect(headers['set-cookie']).toBeUndefined();
  expect(headers['x-hop']).toBeUndefined();
  expect(headers['content-security-policy']).toContain('sandbox');
  await isWell();
});

test('a redirection is not followed, and no other host hears the credential', async () => {
  const heard = liar.heads.length;
  liar.tell(
    (_, socket) =>
      void socket.write('HTTP/1.1 307 Temporary Redirect\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n'),
  );
  expect((await hear(PODS)).status).toBe(307);
  expect(liar.heads.slice(heard).map((head) => head.split(' ')[1])).toEqual([PODS]);
  await isWell();
});

test('a line of two hundred megabytes waits for who reads it, and goes with them', async () => {
  const closed = Promise.withResolvers<number>();
  liar.tell((_, socket) => {
    socket.write(answer('Transfer-Encoding: chunked\r\n'));
    void pour(socket, 200).then(closed.resolve);
  });
  const response = await open(`${PODS}?watch=true`);
  response.pause();
  // Nothing more is taken after buffers on the way are full; nobody can tell when but by looking twice.
  await expect
    .poll(async () => {
      const before = poured;
      await sleep(300);
      return poured - before;
    })
    .toBe(0);
  expect(poured).toBeLessThan(32 * MEGABYTE);
  response.destroy();
  expect(await closed.promise).toBeLessThan(40 * MEGABYTE);
  await isWell();
});

let poured = 0;
async function pour(socket: TLSSocket, megabytes: number): Promise<number> {
  poured = 0;
  const piece = Buffer.from(chunk('x'.repeat(64 * 1024)));
  while (!socket.destroyed && poured < megabytes * MEGABYTE) {
    poured += piece.length;
    if (!socket.write(piece)) await roomOrClosed(socket);
  }
  return poured;
}

test.each([
  [
    'an object without an end in a list',
    '{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[{"metadata":{"name":"',
    'PodList',
  ],
  ['a line without an end in a watch', '{"type":"ADDED","object":{"kind":"Pod","metadata":{"name":"', 'watch'],
])('%s is not kept by who reads it for rules', async (_, start, what) => {
  const closed = Promise.withResolvers<number>();
  liar.tell((__, socket) => {
    socket.write(answer('Transfer-Encoding: chunked\r\n', chunk(start)));
    void pour(socket, 200).then(closed.resolve);
  });
  const { text } = await hear(what === 'watch' ? `${PODS}?watch=true` : PODS, filtered);
  expect(text.length).toBeLessThan(MEGABYTE);
  expect(await closed.promise).toBeLessThan(64 * MEGABYTE);
  await isWell();
});

test('who sees one pod sees it alone, whatever the cluster hides others in', async () => {
  const pod = (name: string, more = '') => `{"metadata":{"name":"${name}","namespace":"default"}${more}}`;
  const tricks = [
    pod('seen'),
    pod('hidden'),
    '{"spec":{"metadata":{"name":"seen","namespace":"default"}},"metadata":{"name":"hidden","namespace":"default"}}',
    '{"metadata":{"name":"hidden","namespace":"default"},"metadata":{"name":"seen","namespace":"default"},"twice":1}',
    '{"metadata":{"na\\u006de":"hidden","namespace":"default"}}',
  ];
  const body = `{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[${tricks.join(',')}]}`;
  liar.tell((_, socket) => void socket.write(answer(`Content-Length: ${body.length}\r\n`, body)));
  const { text, status } = await hear(PODS, filtered);
  // Refused as a whole, or without what is hidden.
  if (status === 200) expect(text).not.toContain('hidden');
  else expect(JSON.parse(text)).toMatchObject({ kind: 'Status' });
  await isWell();
});

test('compressed against what was asked for, a list is not let through unread', async () => {
  const bomb = gzipSync(Buffer.alloc(50 * MEGABYTE, '{"metadata":{"name":"hidden"}},'));
  liar.tell((_, socket) => {
    socket.write(answer(`Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n`));
    socket.write(bomb);
  });
  const { text, headers } = await hear(PODS, filtered);
  expect(headers['content-encoding']).toBeUndefined();
  expect(text).not.toContain('hidden');
  await isWell();
});

test('the credential of the gateway is in no answer and no log', async () => {
  liar.tell((head, socket) => void socket.write(answer(`Content-Length: ${head.length}\r\n`, head)));
  const { text } = await hear(PODS);
  // A cluster that tells it on cannot be kept from it; the gateway itself says it nowhere.
  expect(text).toContain('secret-of-the-gateway');
  expect(world.gateway.logged()).not.toContain('secret-of-the-gateway');
});
