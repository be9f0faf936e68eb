/** Calls and websockets handed to another cluster and back, with real HTTP on both sides. */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { ANN, type RelayWorld, startRelayWorld } from '../../../testing/relay/relay-world.ts';
import { ACTIVE_PING, remoteVisit } from '../../platform/http/relayed-door.ts';
import { openSocketDoor } from '../../platform/http/socket-door.ts';
import { AppError } from '../../platform/std/app-error.ts';

const MIB = 1024 * 1024;
let world: RelayWorld;
let left: Promise<void>;
let produced: number;

function addRoutes(leaf: FastifyInstance): void {
  leaf.get('/v1/sites/:clusterId/who', async (request, reply) => {
    reply.header('set-cookie', 'session=1').header('x-own', '1').header('etag', '"a"');
    return { visit: remoteVisit(request), headers: request.headers, query: request.query, id: request.id };
  });
  leaf.get('/v1/sites/:clusterId/page', async (_request, reply) =>
    reply.header('content-type', 'text/html').header('content-security-policy', "script-src '*'").send('<script>'),
  );
  leaf.get('/v1/sites/:clusterId/denied', async () => {
    throw new AppError('denied', 'access denied: none of your roles allows it');
  });
  leaf.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, body, done) => done(null, body));
    scope.put('/v1/sites/:clusterId/hash', async (request) => {
      const hash = createHash('sha256');
      for await (const piece of request.raw) hash.update(piece as Buffer);
      return hash.digest('hex');
    });
    scope.put('/v1/sites/:clusterId/refused', async () => {
      throw new AppError('too_large', 'that is too much');
    });
  });
  leaf.get('/v1/sites/:clusterId/endless', async (request, reply) => {
    const gone = Promise.withResolvers<void>();
    left = gone.promise;
    request.raw.socket.on('close', () => gone.resolve());
    produced = 0;
    async function* pieces() {
      for (;;) {
        produced += MIB;
        yield Buffer.alloc(MIB);
      }
    }
    return reply.send(Readable.from(pieces(), { objectMode: false }));
  });
  const sockets = openSocketDoor(leaf);
  sockets.add('/v1/sites/:clusterId/echo', async (request, accept) => {
    const socket = await accept();
    socket.send(remoteVisit(request)?.username ?? '');
    socket.on('message', (data, isBinary) => {
      if (String(data) === 'active') for (let count = 0; count < 3; count++) socket.ping(ACTIVE_PING);
      socket.send(data, { binary: isBinary });
    });
    socket.on('close', (code, reason) => closes.push(`${code} ${reason}`));
  });
  sockets.add('/v1/sites/:clusterId/no', async () => {
    throw new AppError('denied', 'not for you');
  });
}
const closes: string[] = [];

beforeAll(async () => {
  world = await startRelayWorld(addRoutes);
});
const opened: WebSocket[] = [];
afterEach(() => {
  for (const socket of opened.splice(0)) socket.on('error', () => {}).terminate();
});
afterAll(() => world.close());

test('a call is answered there, for whom it is, and nothing but what is on the lists crosses', async () => {
  const headers = {
    authorization: 'Bearer x',
    cookie: 'session=2',
    'x-own': '1',
    accept: 'application/json',
    'x-gatehouse-pass': 'p',
  };
  const answer = await fetch(`${world.origin}/v1/calls/who?a=1&b=%20`, { headers });

  expect(answer.status).toBe(200);
  expect(answer.headers.get('set-cookie')).toBeNull();
  expect(answer.headers.get('x-own')).toBeNull();
  expect(answer.headers.get('etag')).toBe('"a"');
  const said = (await answer.json()) as { headers: object; id: string };
  expect(said).toMatchObject({ visit: ANN, query: { a: '1', b: ' ' } });
  expect(Object.keys(said.headers).sort()).toEqual([
    'accept',
    'accept-encoding',
    'host',
    'user-agent',
    'x-gatehouse-pass',
    'x-request-id',
  ]);
  expect(answer.headers.get('x-request-id')).toBe(said.id);
});

test('a page of another cluster is no page of this gateway', async () => {
  const answer = await fetch(`${world.origin}/v1/calls/page`);

  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(answer.headers.get('x-gatehouse-relayed')).toBe('yes');
  expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox; frame-ancestors 'none'");
  expect(answer.headers.get('x-frame-options')).toBe('DENY');
});

test('a refusal travels as it is', async () => {
  const answer = await fetch(`${world.origin}/v1/calls/denied`);

  expect(answer.status).toBe(403);
  expect(await answer.json()).toMatchObject({ error: { code: 'denied' } });
});

test.each([
  ['of a known length', true],
  ['of none', false],
])('a body %s arrives whole', async (_, isKnown) => {
  const bytes = randomBytes(5 * MIB);
  const body = isKnown ? bytes : Readable.toWeb(Readable.from([bytes.subarray(0, MIB), bytes.subarray(MIB)]));
  const answer = await fetch(`${world.origin}/v1/calls/hash`, {
    method: 'PUT',
    body: body as BodyInit,
    duplex: 'half',
  } as RequestInit);

  expect(await answer.text()).toBe(createHash('sha256').update(bytes).digest('hex'));
});

test('one who is refused in the middle of a body hears so', async () => {
  const socket = connect(world.port, '127.0.0.1');
  socket.write('PUT /v1/calls/refused HTTP/1.1\r\nhost: x\r\ncontent-length: 99999999\r\n\r\nsome of it');

  const [said] = await once(socket, 'data');

  expect(String(said)).toMatch(/^HTTP\/1\.1 413/);
  socket.destroy();
});

test('a caller that reads nothing makes the other cluster wait, and one that leaves ends the call there', async () => {
  const socket = connect(world.port, '127.0.0.1');
  socket.write('GET /v1/calls/endless HTTP/1.1\r\nhost: x\r\n\r\n');
  await once(socket, 'readable');
  socket.pause();
  let before = -1;
  // Until everything between them is full.
  while (before !== produced) {
    before = produced;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  expect(produced).toBeLessThan(40 * MIB);

  socket.destroy();
  await left;
});

test('a websocket carries both sorts of messages both ways, in order', async () => {
  const socket = open('echo');
  const said: string[] = [];
  socket.on('message', (data, isBinary) => said.push(`${isBinary ? 'binary' : 'text'} ${data}`));
  await once(socket, 'open');
  socket.send('one');
  socket.send(Buffer.from('two'));
  while (said.length < 3) await once(socket, 'message');

  expect(said).toEqual(['text root/ann', 'text one', 'binary two']);
});

test('many megabytes of messages arrive whole', async () => {
  const socket = open('echo');
  await once(socket, 'message');
  const piece = randomBytes(512 * 1024);
  const [sent, heard] = [createHash('sha256'), createHash('sha256')];
  let back = 0;
  socket.on('message', (data) => {
    heard.update(data as Buffer);
    back += 1;
  });
  for (let count = 0; count < 40; count++) {
    sent.update(piece);
    socket.send(piece);
  }
  while (back < 40) await once(socket, 'message');

  expect(heard.digest('hex')).toBe(sent.digest('hex'));
});

test('that somebody did something there is heard, once for what they said', async () => {
  const heard: string[] = [];
  world.onActive = () => heard.push('active');
  const socket = open('echo');
  await once(socket, 'message');
  socket.send('active');
  await once(socket, 'message');
  await expect.poll(() => heard).toEqual(['active']);
});

test('the other side hears how a websocket was closed', async () => {
  const socket = open('echo');
  await once(socket, 'message');
  closes.length = 0;
  socket.close(4001, 'enough');
  await once(socket, 'close');
  await expect.poll(() => closes).toEqual(['4001 enough']);
});

test('a websocket that is not taken there is refused in the words of whoever refuses', async () => {
  const [code, reason] = await once(open('no'), 'close');

  expect([code, String(reason)]).toEqual([4404, 'not for you']);
});

function open(name: string): WebSocket {
  const socket = new WebSocket(`ws://127.0.0.1:${world.port}/v1/sockets/${name}`);
  opened.push(socket);
  return socket;
}
