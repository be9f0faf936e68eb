import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamRefused } from '@gatehouse/tunnel/tunnel-error';
import { afterEach, expect, test, vi } from 'vitest';
import { streamPair } from '../../../testing/stream-pair.ts';
import { type AllowRule, parseRule } from './allow-rules.ts';
import { dialAllowed, joinStreams } from './dial.ts';

const never = new AbortController().signal;
let server: Server | undefined;
const sockets = new Set<Socket>();
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server?.close();
});

async function listen(onConnection: (socket: Socket) => void): Promise<number> {
  const made = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    onConnection(socket);
  }).listen(0, '127.0.0.1');
  server = made;
  await new Promise((resolve) => made.once('listening', resolve));
  return (made.address() as AddressInfo).port;
}

function rules(...texts: string[]) {
  return { allow: texts.map((each) => parseRule(each) as AllowRule), where: '/etc/agent.yaml' };
}

async function refusal(dialling: Promise<unknown>): Promise<StreamRefused> {
  return await dialling.then(
    () => {
      throw new Error('it was dialled');
    },
    (error) => error,
  );
}

test('what is allowed is dialled, both ways end by themselves, and nothing is lost', async () => {
  const port = await listen(async (socket) => {
    const asked = await text(socket);
    socket.end(`you said ${asked}`);
  });
  const socket = await dialAllowed(`127.0.0.1:${port}`, rules('127.0.0.1:*'), never);
  const [near, far] = streamPair();
  void joinStreams(far, socket);

  near.end('hello');

  expect(await text(near)).toBe('you said hello');
});

test('what is not allowed is refused before anything is looked up, naming where to allow it', async () => {
  const resolve = vi.fn();

  const refused = await refusal(dialAllowed('db.internal:5432', rules(), never, { resolve }));

  expect(refused).toMatchObject({
    code: 'not_allowed',
    message: "this agent may not dial db.internal:5432: add it to 'allow' in /etc/agent.yaml",
  });
  expect(resolve).not.toHaveBeenCalled();
});

test('a name is looked up once, and only addresses that are allowed are dialled', async () => {
  const connections: string[] = [];
  const port = await listen((socket) => connections.push(socket.localAddress ?? ''));
  const answers = [['10.255.255.1', '127.0.0.1'], ['127.0.0.9']];
  const resolve = vi.fn(async () => answers.shift() ?? []);

  const socket = await dialAllowed(`db.internal:${port}`, rules('127.0.0.1:*'), never, { resolve });

  expect(socket.remoteAddress).toBe('127.0.0.1');
  expect(resolve).toHaveBeenCalledOnce();
  socket.destroy();
});

test('a name of many addresses is no way to look through a network: the first eight are dialled', async () => {
  const port = await listen(() => {});
  const others = Array.from({ length: 8 }, (_, each) => `127.0.1.${each + 1}`);
  const dial = (addresses: string[]) =>
    dialAllowed(`db.internal:${port}`, rules('127.0.0.0/16:*'), never, { resolve: async () => addresses });

  expect((await refusal(dial([...others, '127.0.0.1']))).code).toBe('unreachable');
  (await dial([...others.slice(1), '127.0.0.1'])).destroy();
});

test('a name that suddenly stands for this machine is not dialled', async () => {
  const port = await listen(() => {});

  const refused = await refusal(
    dialAllowed(`db.internal:${port}`, rules('db.internal:*'), never, { resolve: async () => ['127.0.0.1'] }),
  );

  expect(refused.code).toBe('not_allowed');
});

test.each([
  ['nothing listens', '127.0.0.1:1', undefined, /cannot be reached: nothing listens there/],
  ['there is no such name', 'no-such-name.invalid:22', undefined, /'no-such-name.invalid' cannot be resolved/],
  [
    'no answer comes',
    'slow.internal:22',
    () => new Promise<string[]>(() => {}),
    /cannot be resolved: no answer in time/,
  ],
])('%s: told as unreachable', async (_, target, resolve, message) => {
  const refused = await refusal(
    dialAllowed(target, rules('127.0.0.1:*', '*.invalid:*', '*.internal:*'), never, {
      timeoutMs: 2_000,
      ...(resolve ? { resolve } : {}),
    }),
  );

  expect(refused).toMatchObject({ code: 'unreachable', message: expect.stringMatching(message) });
});

test('a target that is no address is refused', async () => {
  expect((await refusal(dialAllowed('nonsense', rules('a:1'), never))).code).toBe('bad_request');
  expect((await refusal(dialAllowed('a:99999', rules('a:1'), never))).code).toBe('bad_request');
});

test('a reader that stops makes the other side wait; a cut of one is a cut of both', async () => {
  let sent = 0;
  const closed = Promise.withResolvers<void>();
  const port = await listen(async (socket) => {
    socket.on('close', () => closed.resolve());
    const block = Buffer.alloc(64 * 1024);
    while (!socket.destroyed && sent < 200 * 1024 * 1024) {
      sent += block.length;
      if (!socket.write(block))
        await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed.promise]);
    }
  });
  const [near, far] = streamPair();
  void joinStreams(far, await dialAllowed(`127.0.0.1:${port}`, rules('127.0.0.1:*'), never));

  await sleep(300);
  expect(sent).toBeLessThan(32 * 1024 * 1024);
  near.destroy();

  await closed.promise;
});
