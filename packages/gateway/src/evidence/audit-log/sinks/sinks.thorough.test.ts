import { generateKeyPairSync, sign } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createServer as createTlsServer } from 'node:tls';
import { userLogin } from '@gatehouse/contract/audit/sign-in-events';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { openMemoryStorage } from '../../../../testing/storage/memory-storage.ts';
import { openTestFolder } from '../../../../testing/storage/test-folder.ts';
import { createAudit } from '../../../platform/audit/emit.ts';
import { openEventStream } from '../../../platform/audit/event-stream.ts';
import { silentLog } from '../../../platform/std/log.ts';
import { Secret } from '../../../platform/std/secret.ts';
import type { Storage } from '../../../platform/storage/storage.ts';
import { authorityFile, selfMadeCertificate } from '../../../platform/tls/self-made.ts';
import { createLogNews } from '../log-news.ts';
import { writeCheckpoint } from '../write-checkpoints.ts';
import { fileSink } from './file-sink.ts';
import { runSinks } from './run-sinks.ts';
import type { Sink } from './sink.ts';
import { syslogMessage, syslogSink } from './syslog-sink.ts';
import { webhookSink } from './webhook-sink.ts';

let storage: Storage;
beforeEach(async () => {
  storage = await openMemoryStorage();
});
afterEach(() => storage.close());

const audit = createAudit({ now: Date.now, clusterName: 'c1', chain: 'g1' });
const emit = (user: string) =>
  storage.db.transaction().execute((tx) => audit.emit(tx, userLogin, { user, success: true, method: 'local' }));

function run(...sinks: Sink[]) {
  const { db } = storage;
  const stream = openEventStream({
    db,
    queue: undefined,
    strict: false,
    chain: 'g1',
    clusterName: 'c1',
    log: silentLog,
    now: Date.now,
  });
  const news = createLogNews(db, silentLog);
  const running = runSinks(sinks, { db, stream, news, log: silentLog });
  const close = async () => {
    news.close();
    await running.close();
    await stream.close();
  };
  return { running, close };
}

async function serve(answer: (request: IncomingMessage, body: string) => number) {
  const server = createServer(async (request, response) => {
    const body = await text(request);
    response.statusCode = answer(request, body);
    response.end();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const usersIn = (lines: string) =>
  lines
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { user?: string }).user)
    .filter((user) => user !== undefined);

test('a webhook gets every event once and in order, across failures and restarts', async () => {
  const heard: string[] = [];
  let calls = 0;
  const headers: (string | undefined)[] = [];
  const url = await serve((request, body) => {
    calls += 1;
    headers.push(request.headers.authorization);
    if (calls % 2 === 1) return 503;
    heard.push(...usersIn(body));
    return 204;
  });
  const sink = () => webhookSink({ name: 'siem', url, token: new Secret('t0ken') });
  for (const user of ['a', 'b', 'c']) await emit(user);

  const first = run(sink());
  await vi.waitFor(() => expect(heard).toEqual(['a', 'b', 'c']), { timeout: 5_000 });
  await first.close();
  for (const user of ['d', 'e']) await emit(user);
  const second = run(sink());
  await vi.waitFor(() => expect(heard).toEqual(['a', 'b', 'c', 'd', 'e']), { timeout: 5_000 });
  await vi.waitFor(async () => expect(await second.running.state()).toMatchObject([{ error: '' }]), { timeout: 5_000 });
  await second.close();

  expect(headers).toContain('Bearer t0ken');
  const told = await storage.db.selectFrom('event').select('code').where('event', '=', 'audit.sink').execute();
  expect(told.map(({ code }) => code)).toContain('GH336W');
});

test('a sink that does not answer is shown with what it said and how far it is behind', async () => {
  const url = await serve(() => 500);
  await emit('a');
  const { running, close } = run(webhookSink({ name: 'siem', url }));

  await vi.waitFor(async () => {
    const [state] = await running.state();
    expect(state).toMatchObject({ name: 'siem', type: 'webhook', error: 'it answered 500' });
    expect(state!.behind).toBeGreaterThan(0);
  });
  await close();
});

test('a file has each line once, even after a crash that forgot what it had written', async () => {
  const path = join(openTestFolder(), 'events.jsonl');
  for (const user of ['a', 'b']) await emit(user);
  const first = run(fileSink({ name: 'copy', path }));
  await vi.waitFor(() => expect(usersIn(readFileSync(path, 'utf8'))).toEqual(['a', 'b']), { timeout: 3_000 });
  await first.close();

  // As if the last mark had not been kept, and half a line had been written.
  await storage.db.updateTable('event_sink').set({ delivered: 0 }).execute();
  appendFileSync(path, '{"ei":0,"event":"user');
  await emit('c');
  const second = run(fileSink({ name: 'copy', path }));
  await vi.waitFor(() => expect(usersIn(readFileSync(path, 'utf8'))).toEqual(['a', 'b', 'c']), { timeout: 3_000 });
  await second.close();
});

test('sinks are given the checkpoints', async () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const signer = {
    publicKey: '',
    sign: (body: string) => ({ body, signature: sign(null, Buffer.from(body), privateKey).toString('base64') }),
  };
  const path = join(openTestFolder(), 'events.jsonl');
  await emit('a');
  const deps = { db: storage.db, signer, clusterName: 'c1', log: silentLog, now: Date.now };
  await storage.db.transaction().execute((tx) => writeCheckpoint(tx, deps));

  const { close } = run(fileSink({ name: 'copy', path }));

  await vi.waitFor(() => expect(readFileSync(path, 'utf8')).toContain('{"checkpoint":{"body":'), { timeout: 3_000 });
  await close();
});

test('a syslog server gets counted RFC 5424 messages over TLS, and a foreign certificate is refused', async () => {
  const dataDir = openTestFolder();
  const certificate = await selfMadeCertificate({ dataDir, names: ['localhost'], now: Date.now() });
  let received = '';
  const server = createTlsServer({ cert: certificate.cert, key: certificate.key }, (socket) => {
    socket.on('data', (chunk) => {
      received += chunk.toString();
    });
    socket.on('error', () => {});
  }).listen(0, '127.0.0.1');
  server.on('tlsClientError', () => {});
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  for (const user of ['a', 'b']) await emit(user);
  const ca = readFileSync(authorityFile(dataDir), 'utf8');

  const foreign = run(syslogSink({ name: 'foreign', host: 'localhost', port, ca: undefined }));
  const known = run(syslogSink({ name: 'known', host: 'localhost', port, ca }));
  await vi.waitFor(() => expect(received.match(/user="[ab]"/g)).toEqual(['user="a"', 'user="b"']), { timeout: 5_000 });
  await vi.waitFor(async () => expect((await foreign.running.state())[0]!.error).toMatch(/certificate|self/i), {
    timeout: 5_000,
  });
  await Promise.all([foreign.close(), known.close()]);

  const [, length, rest] = /^(\d+) ([\s\S]*)$/.exec(received)!;
  const message = Buffer.from(rest!).subarray(0, Number(length)).toString();
  expect(message).toMatch(
    /^<110>1 \S+Z c1 gatehouse - T1000I \[gatehouse@32473 chain="g1" index="1" event="user.login" user="a"\] \ufeff\{"ei":0,/,
  );
  expect(Buffer.from(rest!).subarray(Number(length)).toString()).toMatch(/^\d+ <110>1 /);
});

test('what a user chose cannot break out of its place in a syslog message', () => {
  const row = {
    severity: 'error',
    time: 0,
    code: 'T1\n',
    cluster: 'a b',
    chain: 'g',
    chain_index: 1,
    event: 'e',
    user: 'x"]\n\\',
  };

  const message = syslogMessage({ text: '{}', row: row as never });

  expect(message).toBe(
    '<107>1 1970-01-01T00:00:00.000Z a_b gatehouse - T1_ [gatehouse@32473 chain="g" index="1" event="e" user="x\\"\\] \\\\"] \ufeff{}',
  );
});
