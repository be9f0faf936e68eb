/** What becomes of a session between a hostile server and a hostile client. */
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type Duplex, duplexPair } from 'node:stream';
import { afterEach, expect, test } from 'vitest';
import { passOn } from './pass-on.ts';
import { command } from './resp.ts';

const streams = new Set<Duplex>();
afterEach(() => {
  for (const stream of streams) stream.destroy();
  streams.clear();
});

function world(
  first: Buffer = Buffer.alloc(0),
  sampled: { isSampled?: boolean; behind?: () => Promise<void> | undefined } = {},
) {
  const { isSampled = false, behind } = sampled;
  const [client, clientEnd] = duplexPair();
  const [server, serverEnd] = duplexPair();
  for (const each of [client, clientEnd, server, serverEnd]) {
    each.on('error', () => {});
    streams.add(each);
  }
  const [heard, asked]: [Buffer[], Buffer[]] = [[], []];
  clientEnd.on('data', (piece: Buffer) => heard.push(piece));
  serverEnd.on('data', (piece: Buffer) => asked.push(piece));
  const told: string[] = [];
  const session = passOn({
    client,
    first,
    signedIn: { server, backend: undefined, version: '', rest: Buffer.alloc(0) },
    mayUse: () => true,
    mayUseAll: () => true,
    isSampled,
    teller: {
      asked: ({ query }) => void told.push(`asked ${query.text}`),
      answered: (name, { ok, error }) => void told.push(`answered ${name} ${ok ? 'well' : error}`),
      malformed: (side, why, sample) => void told.push(`${side}: ${why}, ${sample.length} bytes`),
      ...(behind ? { behind } : {}),
    },
  });
  return {
    session,
    told,
    client,
    server,
    clientEnd,
    serverEnd,
    heard: () => Buffer.concat(heard).toString('latin1'),
    asked: () => Buffer.concat(asked).toString('latin1'),
  };
}

test('what a client said before is passed first', async () => {
  const { asked, clientEnd } = world(command('GET', 'a'));
  clientEnd.write(command('GET', 'b'));

  await expect.poll(asked).toBe(command('GET', 'a').toString() + command('GET', 'b').toString());
});

test('a server that answers with something else is cut off, and the client hears why', async () => {
  const { session, told, clientEnd, serverEnd, heard, asked, server } = world();
  clientEnd.write(Buffer.concat([command('GET', 'a'), command('GET', 'b')]));
  await expect.poll(asked).not.toBe('');
  serverEnd.write(`$1\r\nx\r\nHTTP/1.1 400 ${'x'.repeat(1_000)}`);
  await session.over;

  await expect
    .poll(heard)
    .toBe('$1\r\nx\r\n-ERR the database sent an answer of the type 72, which there is none of\r\n');
  expect(told).toEqual([
    'asked "GET" "a"',
    'asked "GET" "b"',
    'answered GET well',
    'server: an answer of the type 72, which there is none of, 256 bytes',
    'answered GET the connection ended before an answer',
  ]);
  expect(server.destroyed).toBe(true);
});

test('inside an answer that the client has half of, nothing else is said', async () => {
  const { session, clientEnd, serverEnd, heard, asked, client } = world();
  clientEnd.write(command('LRANGE', 'a', '0', '-1'));
  await expect.poll(asked).not.toBe('');
  serverEnd.write('*2\r\n$1\r\na\r\n');
  await expect.poll(heard).toBe('*2\r\n$1\r\na\r\n');
  serverEnd.write('nonsense');
  await session.over;

  expect(heard()).toBe('*2\r\n$1\r\na\r\n');
  expect(client.destroyed).toBe(true);
});

test('a server that closes closes the client', async () => {
  const { session, clientEnd, serverEnd, told } = world();
  clientEnd.write(command('SHUTDOWN'));
  await expect.poll(() => told.length).toBe(1);
  const ended = once(clientEnd, 'end');
  serverEnd.end();
  await Promise.all([session.over, ended]);

  expect(told.at(-1)).toBe('answered SHUTDOWN the connection ended before an answer');
});

test('what is no command is not waited for longer than it may take', async () => {
  const { session, clientEnd, asked, heard, told } = world();
  clientEnd.write(Buffer.concat([command('BLPOP', 'a', '0'), Buffer.from('*x\r\n')]));
  await session.over;

  expect(asked()).toBe(command('BLPOP', 'a', '0').toString());
  await expect.poll(heard).toBe('-ERR Protocol error: invalid multibulk length\r\n');
  expect(told[1]).toBe('client: Protocol error: invalid multibulk length, 4 bytes');
});

test('a session that ends waits for the rest of an answer, and not for the one behind it', async () => {
  const { session, clientEnd, serverEnd, heard, asked } = world();
  clientEnd.write(Buffer.concat([command('GET', 'a'), command('GET', 'b')]));
  await expect.poll(asked).not.toBe('');
  serverEnd.write('$10\r\n01234');
  await expect.poll(heard).toBe('$10\r\n01234');
  const ended = session.end('locked');
  serverEnd.write('56789\r\n$1\r\nx\r\n');
  await ended;

  await expect.poll(heard).toBe('$10\r\n0123456789\r\n-ERR locked\r\n');
});

test('a session that ends does not wait without end', async () => {
  const { session, clientEnd, serverEnd, heard, asked, client } = world();
  clientEnd.write(command('GET', 'a'));
  await expect.poll(asked).not.toBe('');
  serverEnd.write('$10\r\n01234');
  await expect.poll(heard).toBe('$10\r\n01234');
  await session.end('locked');

  expect([heard(), client.destroyed]).toEqual(['$10\r\n01234', true]);
});

test('a reason of several lines is one answer', async () => {
  const { session, heard } = world();
  await session.end('locked\r\n+OK');

  await expect.poll(heard).toBe('-ERR locked +OK\r\n');
});

test.each([true, false])(
  'where answers are sampled, %s, the server waits while they are not written',
  async (isSampled) => {
    const written = Promise.withResolvers<void>();
    let isBehind = false;
    const { clientEnd, serverEnd, server, heard, asked } = world(undefined, {
      isSampled,
      behind: () => (isBehind ? written.promise : undefined),
    });
    clientEnd.write(Buffer.concat([command('GET', 'a'), command('GET', 'b')]));
    await expect.poll(asked).not.toBe('');
    isBehind = true;
    serverEnd.write('$1\r\na\r\n');
    await expect.poll(heard).toBe('$1\r\na\r\n');
    expect(server.isPaused()).toBe(isSampled);

    isBehind = false;
    written.resolve();
    serverEnd.write('$1\r\nb\r\n');
    await expect.poll(heard).toBe('$1\r\na\r\n$1\r\nb\r\n');
  },
);

/** Something that begins as the protocol does goes deeper than what is wrong at once. */
function nearly(): Buffer {
  const signs = [
    '*2\r\n',
    '$3\r\n',
    '\r\n',
    'GET',
    '*1\r\n',
    '+OK\r\n',
    '>2\r\n',
    '|1\r\n',
    '-ERR x\r\n',
    ':1\r\n',
    '"',
    "'",
  ];
  const parts = Array.from({ length: randomInt(1, 30) }, () =>
    randomInt(10) === 0 ? randomBytes(3) : Buffer.from(signs[randomInt(signs.length)] as string),
  );
  return Buffer.concat(parts);
}

test('whatever bytes come from either side, the session goes on or ends', async () => {
  for (let round = 0; round < 300; round += 1) {
    const { session, clientEnd, serverEnd, told } = world(undefined, { isSampled: round % 2 === 0 });
    const sent: string[] = [];
    for (let piece = 0; piece < 6; piece += 1) {
      const [from, to] = [nearly(), nearly()];
      sent.push(JSON.stringify([from.toString('latin1'), to.toString('latin1')]));
      clientEnd.write(from);
      await new Promise((resolve) => setImmediate(resolve));
      serverEnd.write(to);
      await new Promise((resolve) => setImmediate(resolve));
    }
    clientEnd.destroy();
    serverEnd.destroy();
    await session.over;
    const count = (what: string) => told.filter((each) => each.startsWith(what)).length;

    expect(count('answered '), sent.join('\n')).toBe(count('asked '));
    streams.clear();
  }
});
