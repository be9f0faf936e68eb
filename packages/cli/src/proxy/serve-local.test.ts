import { connect as dial, type Socket } from 'node:net';
import { type Duplex, duplexPair } from 'node:stream';
import { text } from 'node:stream/consumers';
import { InvalidArgumentError } from 'commander';
import { afterEach, expect, test, vi } from 'vitest';
import { isOnlyLocal, listenAddress } from './listen-address.ts';
import { type LocalListener, serveLocal } from './serve-local.ts';

const running: LocalListener[] = [];
afterEach(async () => {
  for (const listener of running.splice(0)) await listener.close();
});

async function listen(connect: () => Promise<Duplex>, refusal?: (error: unknown) => Buffer | undefined) {
  const failures: unknown[] = [];
  const listener = await serveLocal({
    listen: { host: '127.0.0.1', port: 0 },
    connect,
    onFailure: (error) => failures.push(error),
    ...(refusal ? { refusal } : {}),
  });
  running.push(listener);
  const port = Number(listener.address.split(':')[1]);
  return { failures, port, dial: () => dial({ port, host: '127.0.0.1', allowHalfOpen: true }) };
}

/** Answers like an application that reads the whole question first. */
function answering(): Duplex {
  const [near, far] = duplexPair();
  void text(far).then((question) => far.end(`you said ${question}`));
  return near;
}

function closed(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let why = 'ended';
    socket.on('error', (error) => {
      why = 'code' in error ? String(error.code) : error.message;
    });
    socket.on('close', () => resolve(why));
    socket.resume();
  });
}

test('each connection is carried by one of its own, both ways, half-closed as TCP allows', async () => {
  const connect = vi.fn(async () => answering());
  const { dial: open } = await listen(connect);

  const [one, two] = [open(), open()];
  one.end('one');
  two.end('two');

  expect(await Promise.all([text(one), text(two)])).toEqual(['you said one', 'you said two']);
  expect(connect).toHaveBeenCalledTimes(2);
});

test('what is sent before the far side is there waits and arrives', async () => {
  const { dial: open } = await listen(() => new Promise((resolve) => setTimeout(() => resolve(answering()), 50)));
  const socket = open();
  socket.end('early');

  expect(await text(socket)).toBe('you said early');
});

test('one connection that fails is reset and told; the next is tried anew', async () => {
  const connect = vi.fn(async (): Promise<Duplex> => answering());
  connect.mockRejectedValueOnce(new Error('no role of yours'));
  const { failures, dial: open } = await listen(connect);

  expect(await closed(open())).toBe('ECONNRESET');
  expect(failures).toEqual([new Error('no role of yours')]);
  const socket = open();
  socket.end('again');

  expect(await text(socket)).toBe('you said again');
});

test('where the protocol has words for it, the program is told why and its end is an end, though it has spoken', async () => {
  const connect = () => Promise.reject(new Error('no role of yours'));
  const { failures, dial: open } = await listen(connect, (error) => Buffer.from(`-ERR ${String(error)}`));
  const socket = open();
  socket.write('question that nobody reads');
  const answer = text(socket);

  expect(await answer).toBe('-ERR Error: no role of yours');
  socket.end();
  expect(failures).toEqual([new Error('no role of yours')]);
});

test('half an answer is never taken for a whole one', async () => {
  const [near, far] = duplexPair();
  const { failures, dial: open } = await listen(async () => near);
  const socket = open();
  socket.write('question');
  const end = closed(socket);
  far.once('data', () => {
    far.write('half');
    setTimeout(() => near.destroy(new Error('the session has ended')), 20);
  });

  expect(await end).toBe('ECONNRESET');
  expect(failures).toEqual([new Error('the session has ended')]);
});

test('a program that breaks off ends the far side', async () => {
  const [near, far] = duplexPair();
  const { dial: open } = await listen(async () => near);
  const socket = open();
  socket.write('x');
  await new Promise((resolve) => far.once('data', resolve));

  socket.resetAndDestroy();

  await vi.waitFor(() => expect(near.destroyed).toBe(true));
});

test('a port that is taken is said with what to do', async () => {
  const { port } = await listen(async () => answering());
  const again = serveLocal({
    listen: { host: '127.0.0.1', port },
    connect: async () => answering(),
    onFailure: () => {},
  });

  await expect(again).rejects.toThrow(`something else listens on 127.0.0.1:${port} already`);
});

test.each([
  ['5432', { host: '127.0.0.1', port: 5432 }, true],
  ['0.0.0.0:80', { host: '0.0.0.0', port: 80 }, false],
  ['[::1]:8080', { host: '::1', port: 8080 }, true],
  ['localhost:0', { host: 'localhost', port: 0 }, true],
])('%s is read as an address to listen on', (given, address, local) => {
  expect(listenAddress(given)).toEqual(address);
  expect(isOnlyLocal(address)).toBe(local);
});

test.each(['', 'x', '70000', '127.0.0.1', 'a b:1', '1:2:3'])('%j is no address to listen on', (given) => {
  expect(() => listenAddress(given)).toThrow(InvalidArgumentError);
});
