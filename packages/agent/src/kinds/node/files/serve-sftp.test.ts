/** The server in this process, on files of a folder made for each test. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { ANSWER, EXTENSION, OPEN_FLAG, REQUEST, STATUS } from '@gatehouse/contract/kinds/node/files/sftp';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { framed, type SftpClient, sftpClient } from '../../../../testing/files/sftp-client.ts';
import { readAccountNames } from './account-names.ts';
import { serveSftp } from './serve-sftp.ts';
import { SftpProtocolError } from './sftp-failure.ts';
import { LIMITS } from './sftp-limits.ts';

const { read, write, create, truncate, append, exclusive } = OPEN_FLAG;
let folder: string;
let client: SftpClient;
let input: PassThrough;
let served: Promise<unknown>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-sftp-'));
  input = new PassThrough();
  const output = new PassThrough();
  served = serveSftp({ input, output, accounts: readAccountNames() })
    .catch((error: unknown) => error)
    .finally(() => output.end());
  client = sftpClient({ input, output });
  await client.greet();
});
afterEach(async () => {
  input.end();
  await served;
  rmSync(folder, { recursive: true, force: true });
});

const at = (name: string) => join(folder, name);

test('requests sent all at once have the results they would have one by one', async () => {
  const handle = await client.open(at('a'), read | write | create);
  const sent = [
    client.ask(REQUEST.write, handle, 0n, 'aaaa'),
    client.ask(REQUEST.write, handle, 2n, 'bbbb'),
    client.ask(REQUEST.read, handle, 0n, 100),
    client.ask(REQUEST.write, handle, 0n, 'cc'),
    client.ask(REQUEST.stat, at('a')),
    client.ask(REQUEST.close, handle),
    client.ask(REQUEST.read, handle, 0n, 100),
    client.ask(REQUEST.rename, at('a'), at('b')),
    client.ask(REQUEST.stat, at('a')),
  ];

  const answers = await Promise.all(sent);

  expect(answers.map(({ status, type }) => status ?? type)).toEqual([
    STATUS.ok,
    STATUS.ok,
    ANSWER.data,
    STATUS.ok,
    ANSWER.attributes,
    STATUS.ok,
    STATUS.failure,
    STATUS.ok,
    STATUS.noSuchFile,
  ]);
  expect(answers[2]?.body.bytes().toString()).toBe('aabbbb');
  expect(readFileSync(at('b'), 'utf8')).toBe('ccbbbb');
});

test('answers about one file come in the order they were asked for, whatever is done first', async () => {
  const handle = await client.open(at('a'), write | create);
  const heard: string[] = [];
  // Each waits for the one before it, and what is asked for last waits for nothing.
  const chain = Array.from({ length: 20 }, (_, index) => [`chained ${index}`, 0n] as const);
  const asked = [...chain, ['beside them', 1_000n] as const].map(async ([name, from]) => {
    await client.ask(REQUEST.write, handle, from, 'x'.repeat(500));
    heard.push(name);
  });

  await Promise.all(asked);

  expect(heard).toEqual([...chain.map(([name]) => name), 'beside them']);
});

test('what was sent before the end is done, and then everything is closed', async () => {
  const handle = await client.open(at('a'), write | create);
  const last = client.ask(REQUEST.write, handle, 0n, 'last words');
  input.end();

  expect(await last).toMatchObject({ status: STATUS.ok });
  expect(await served).toBeUndefined();
  expect(readFileSync(at('a'), 'utf8')).toBe('last words');
});

test('appending goes to the end, whatever offset is named', async () => {
  writeFileSync(at('log'), 'one\n');
  const handle = await client.open(at('log'), write | append);

  await client.ask(REQUEST.write, handle, 0n, 'two\n');
  await client.ask(REQUEST.write, handle, 0n, 'three\n');

  expect(readFileSync(at('log'), 'utf8')).toBe('one\ntwo\nthree\n');
});

test('reading ends with the end, and asks for no more than is allowed', async () => {
  writeFileSync(at('a'), Buffer.alloc(LIMITS.readBytes + 5, 'x'));
  const handle = await client.open(at('a'));

  const first = await client.ask(REQUEST.read, handle, 0n, 0xffff_ffff);
  const rest = await client.ask(REQUEST.read, handle, BigInt(LIMITS.readBytes), 1000);
  const beyond = await client.ask(REQUEST.read, handle, BigInt(LIMITS.readBytes + 5), 1000);
  const far = await client.ask(REQUEST.read, handle, 0xffff_ffff_ffff_ffffn, 1000);

  expect([first.body.bytes().length, rest.body.bytes().length]).toEqual([LIMITS.readBytes, 5]);
  expect([beyond.status, far.status]).toEqual([STATUS.eof, STATUS.badMessage]);
});

test('a rename never replaces; the extension does', async () => {
  writeFileSync(at('a'), 'a');
  writeFileSync(at('b'), 'b');
  mkdirSync(at('d'));

  expect(await client.ask(REQUEST.rename, at('a'), at('b'))).toMatchObject({ status: STATUS.failure });
  expect(await client.ask(REQUEST.rename, at('d'), at('b'))).toMatchObject({ status: STATUS.failure });
  expect(await client.ask(REQUEST.extended, EXTENSION.posixRename, at('a'), at('b'))).toMatchObject({
    status: STATUS.ok,
  });
  expect(readFileSync(at('b'), 'utf8')).toBe('a');
});

test('a file that must be new is refused when it is there, and kept', async () => {
  writeFileSync(at('a'), 'kept');

  const answer = await client.ask(REQUEST.open, at('a'), write | create | truncate | exclusive, 0);

  expect(answer).toMatchObject({ status: STATUS.failure, message: 'file already exists' });
  expect(readFileSync(at('a'), 'utf8')).toBe('kept');
});

test('more handles than the bound are refused, also when asked for at once', async () => {
  writeFileSync(at('a'), '');
  const asked = Array.from({ length: LIMITS.handles + 10 }, () => client.ask(REQUEST.open, at('a'), read, 0));

  const answers = await Promise.all(asked);

  expect(answers.filter(({ type }) => type === ANSWER.handle)).toHaveLength(LIMITS.handles);
  expect(answers.at(-1)).toMatchObject({ status: STATUS.failure, message: '256 files are open; close one first' });
  const [first] = answers;
  await client.ask(REQUEST.close, first?.body.bytes() ?? '');
  expect(await client.open(at('a'))).toHaveLength(6);
});

test('what a client is about to make has a real path, what has no folder has none', async () => {
  const real = await client.ask(REQUEST.realpath, `${folder}/../${folder.split('/').at(-1)}/new/`);
  const root = await client.ask(REQUEST.realpath, '/no-such-file');
  const none = await client.ask(REQUEST.realpath, at('no/such'));

  const pathIn = (body: (typeof real)['body']) => [body.uint32(), body.bytes().toString()];
  expect([pathIn(real.body), pathIn(root.body)]).toEqual([
    [1, at('new')],
    [1, '/no-such-file'],
  ]);
  expect(none).toMatchObject({ status: STATUS.noSuchFile, message: 'no such file or directory' });
});

test.each([
  ['an unknown request', 99, [], STATUS.unsupported],
  ['an unknown extension', REQUEST.extended, ['x@example.com'], STATUS.unsupported],
  ['a request that is cut short', REQUEST.rename, ['/a'], STATUS.badMessage],
  ['a path with a zero byte', REQUEST.stat, ['/etc\0/x'], STATUS.badMessage],
  ['a handle nobody has', REQUEST.read, ['nobody', 0n, 1], STATUS.failure],
  ['a folder that is a file', REQUEST.opendir, ['/etc/passwd'], STATUS.noSuchFile],
  ['a name that is too long', REQUEST.stat, [`/${'x'.repeat(300)}`], STATUS.badMessage],
  ['a write to a folder', REQUEST.open, ['/', write, 0], STATUS.failure],
  ['neither reading nor writing', REQUEST.open, ['/', 0, 0], STATUS.badMessage],
])('%s is answered, and the next request is served', async (_what, type, fields, status) => {
  expect(await client.ask(type, ...fields)).toMatchObject({ status });
  expect(await client.ask(REQUEST.stat, '/')).toMatchObject({ type: ANSWER.attributes });
});

test('a pipe nobody writes to holds nobody up', async () => {
  execFileSync('mkfifo', [at('pipe')]);

  const opened = await Promise.all(Array.from({ length: 10 }, () => client.ask(REQUEST.open, at('pipe'), read, 0)));
  const written = await client.ask(REQUEST.open, at('pipe'), write, 0);

  expect(opened.every(({ type }) => type === ANSWER.handle)).toBe(true);
  expect(written).toMatchObject({ type: ANSWER.handle });
});

test.each([
  ['a second greeting', framed([REQUEST.init], [3])],
  ['a packet that is empty', Buffer.from([0, 0, 0, 0])],
  ['a packet too short for a request', Buffer.from([0, 0, 0, 1, REQUEST.stat])],
  ['a packet without end', Buffer.from([0x7f, 0xff, 0xff, 0xff])],
  ['text', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
])('%s ends the connection', async (_what, bytes) => {
  client.sendRaw(bytes);

  expect(await served).toBeInstanceOf(SftpProtocolError);
});

test('while nobody takes answers, no more requests are read', async () => {
  writeFileSync(at('a'), Buffer.alloc(LIMITS.readBytes));
  const requests = new PassThrough();
  const taken = new PassThrough({ highWaterMark: 0 });
  const done = serveSftp({ input: requests, output: taken, accounts: readAccountNames() });
  const slow = sftpClient({ input: requests, output: taken });
  await slow.greet();
  const handle = await slow.open(at('a'));

  taken.pause();
  const asked = Array.from({ length: 500 }, () => slow.ask(REQUEST.read, handle, 0n, LIMITS.readBytes));
  const held = () => taken.writableLength + taken.readableLength;
  await vi.waitFor(() => expect(held()).toBeGreaterThan(3 * 1024 * 1024));
  await sleep(300);
  const waiting = held();
  taken.resume();
  const answers = await Promise.all(asked);

  expect(waiting).toBeLessThan(5 * 1024 * 1024);
  expect(answers.every(({ body }) => body.bytes().length === LIMITS.readBytes)).toBe(true);
  requests.end();
  await done;
});

test('a client that goes away ends it, whatever it had asked for', async () => {
  const requests = new PassThrough();
  const output = new PassThrough();
  const done = serveSftp({ input: requests, output, accounts: readAccountNames() });
  requests.write(framed([REQUEST.init], [3]));
  for (let id = 1; id < 1000; id++) requests.write(framed([REQUEST.stat], [id, '/']));

  output.destroy(new Error('gone'));

  expect(await done).toBeUndefined();
});
