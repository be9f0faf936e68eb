/** Answers that no honest cluster gives: none reaches a browser as it is, none is waited for, none costs anybody else anything. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type Duplex, duplexPair } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { hostileLeaf, type RelayWorld, startRelayWorld } from '../../../testing/relay/relay-world.ts';

let world: RelayWorld;
let close: () => Promise<void>;
let serve: (socket: Socket, head: string) => void;

beforeAll(async () => {
  world = await startRelayWorld(() => {}, 1_000);
  close = await hostileLeaf(world, (socket, head) => serve(socket, head));
});
afterAll(async () => {
  await close();
  await world.close();
});

/** The bytes as they arrive, until the connection ends. */
async function ask(said: string): Promise<string> {
  serve = (socket) => void socket.write(said, 'latin1');
  const socket = connect(world.port, '127.0.0.1');
  socket.write('GET /v1/calls/x HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  return await text(socket);
}

const OK = 'HTTP/1.1 200 OK\r\n';

test.each([
  ['a head without an end', `${OK}${'x-filler: 12345678901234567890\r\n'.repeat(1000)}`, 'headers without an end'],
  ['a head longer than 16 KiB', `${OK}x-long: ${'x'.repeat(17_000)}\r\n\r\n`, 'headers without an end'],
  ['two lengths', `${OK}content-length: 1\r\ncontent-length: 2\r\n\r\nab`, 'length in two ways'],
  [
    'a length and chunks',
    `${OK}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    'length in two ways',
  ],
  ['chunks and more', `${OK}transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n`, 'encoded in a way nobody asked for'],
  ['a folded header', `${OK}x-a: b\r\n c: d\r\n\r\n`, 'header that cannot be read'],
  ['a header with a bare line end', `${OK}content-type: a\nset-cookie: b\r\n\r\n`, 'control characters'],
  [
    'two types',
    `${OK}content-type: a/a\r\ncontent-type: text/html\r\ncontent-length: 0\r\n\r\n`,
    "'content-type' twice",
  ],
  ['a packing that was not asked for', `${OK}content-encoding: br\r\ncontent-length: 1\r\n\r\nx`, 'packed in a way'],
  ['a way elsewhere', 'HTTP/1.1 302 Found\r\nlocation: https://evil\r\ncontent-length: 0\r\n\r\n', 'leads elsewhere'],
  ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n', 'though nobody asked'],
  [
    'interim answers without end',
    'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n'.repeat(40),
    'never comes to its answer',
  ],
  ['no HTTP', 'SSH-2.0-x\r\n\r\n', 'does not answer in HTTP/1.1'],
  ['nothing', '', 'it does not answer'],
  ['a head that stops', 'HTTP/1.1 200', 'it does not answer'],
])('%s is told as a failure of that cluster', async (_, said, why) => {
  const answer = await ask(said);

  expect(answer).toMatch(/^HTTP\/1\.1 504/);
  expect(answer).toContain(why);
  expect(answer).not.toContain('evil');
  expect(answer.toLowerCase()).not.toContain('set-cookie');
});

test('an answer that ends before it should is broken off, and taken for whole by nobody', async () => {
  serve = (socket) => void socket.end(`${OK}content-length: 100\r\n\r\nonly this`);

  await expect(fetch(`${world.origin}/v1/calls/x`).then((answer) => answer.text())).rejects.toThrow();
});

test('so are chunks that are not what they say', async () => {
  serve = (socket) => void socket.write(`${OK}transfer-encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n`);

  await expect(fetch(`${world.origin}/v1/calls/x`).then((answer) => answer.text())).rejects.toThrow();
});

test('what follows an answer is no second one', async () => {
  const answer = await ask(`${OK}content-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil`);

  expect(answer).toMatch(/^HTTP\/1\.1 200/);
  expect(answer).toMatch(/\r\n\r\nok$/);
});

test('what a browser stores, trusts or is led by is left out', async () => {
  const names = ['set-cookie', 'location', 'refresh', 'clear-site-data', 'strict-transport-security', 'link'];
  const more = ['access-control-allow-origin', 'service-worker-allowed', 'alt-svc', 'www-authenticate', 'server'];
  const said = [...names, ...more].map((name) => `${name}: evil\r\n`).join('');
  const answer = await ask(`${OK}${said}content-length: 2\r\n\r\nok`);

  expect(answer).toMatch(/^HTTP\/1\.1 200/);
  expect(answer).not.toContain('evil');
});

test('one that never takes a body is not waited for', async () => {
  serve = (socket) => void socket.pause();
  const socket = connect(world.port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write('PUT /v1/calls/x HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 999999999\r\n\r\n');
  const more = setInterval(() => void (socket.writableLength < 1_000_000 && socket.write(Buffer.alloc(100_000))), 5);
  try {
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 504/);
  } finally {
    clearInterval(more);
    socket.destroy();
  }
});

test.each([
  [
    'another key',
    'HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-accept: x\r\n\r\n',
  ],
  ['no upgrade at all', `${OK}content-length: 2\r\n\r\nok`],
  ['a refusal without end', `HTTP/1.1 403 No\r\ncontent-length: 999999\r\n\r\n${'x'.repeat(40_000)}`],
  ['a way elsewhere', 'HTTP/1.1 302 Found\r\nlocation: ws://127.0.0.1:1\r\ncontent-length: 0\r\n\r\n'],
  ['a head without end', `${OK}x-filler: ${'x'.repeat(40_000)}`],
  ['nothing', ''],
])('a websocket that is answered with %s is not carried', async (_, said) => {
  serve = (socket) => void socket.write(said);
  const socket = new WebSocket(`ws://127.0.0.1:${world.port}/v1/sockets/x`);

  const [code] = await once(socket, 'close');

  expect(code).toBe(4404);
});

test('one that pings and never reads has no answers piled up for it', async () => {
  const opened = world.open;
  const [near, far] = duplexPair();
  world.open = async () => near;
  const socket = new WebSocket(`ws://127.0.0.1:${world.port}/v1/sockets/x`);
  socket.on('error', () => {});
  try {
    const [head] = await once(far, 'data');
    far.pause();
    await written(far, `${UPGRADED}sec-websocket-accept: ${acceptOf(String(head))}\r\n\r\n`);
    const pings = Buffer.concat(Array.from({ length: 100 }, () => Buffer.concat([PING_HEAD, Buffer.alloc(125)])));
    for (let round = 0; round < 200; round++) await written(far, pings);

    expect(near.writableLength).toBeLessThan(512 * 1024);
  } finally {
    world.open = opened;
    far.destroy();
    socket.terminate();
  }
});

const UPGRADED = 'HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\n';
const PING_HEAD = Buffer.from([0x89, 125]);

function acceptOf(head: string): string {
  const key = /sec-websocket-key: (.*)\r/i.exec(head)?.[1] ?? '';
  return createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
}

/** Once the other side has read it. */
function written(stream: Duplex, data: string | Buffer): Promise<void> {
  return new Promise((resolve, reject) => stream.write(data, (error) => (error ? reject(error) : resolve())));
}
