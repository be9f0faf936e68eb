import { generateKeyPairSync, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
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
import type { Storage } from '../../../platform/storage/storage.ts';
import { authorityFile, selfMadeCertificate } from '../../../platform/tls/self-made.ts';
import { createLogNews } from '../log-news.ts';
import { ExportVerifier } from '../verify-export.ts';
import { writeCheckpoint } from '../write-checkpoints.ts';
import { fileSink } from './file-sink.ts';
import { runSinks } from './run-sinks.ts';
import type { Sink } from './sink.ts';
import { syslogSink } from './syslog-sink.ts';
import { webhookSink } from './webhook-sink.ts';

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
const signer = {
  publicKey: pem,
  sign: (body: string) => ({ body, signature: sign(null, Buffer.from(body), privateKey).toString('base64') }),
};
const USERS = ['ann', 'b"]{"ei":0', 'çelik\n', 'dan', 'eve'];

let storage: Storage;
beforeEach(async () => {
  storage = await openMemoryStorage();
});
afterEach(() => storage.close());

function emit(user: string, chain: string) {
  const audit = createAudit({ now: Date.now, clusterName: 'c1', chain });
  return storage.db.transaction().execute((tx) => audit.emit(tx, userLogin, { user, success: true, method: 'local' }));
}

function checkpoint() {
  const { db } = storage;
  const deps = { db, signer, clusterName: 'c1', log: silentLog, now: Date.now };
  return db.transaction().execute((tx) => writeCheckpoint(tx, deps));
}

/** Five events of two gateways, two checkpoints over them, and one event that nothing signed covers yet. */
async function fillLog(): Promise<void> {
  for (const [at, user] of USERS.entries()) {
    await emit(user, at % 2 === 0 ? 'g1' : 'g2');
    if (at === 2) await checkpoint();
  }
  await checkpoint();
  await emit('late', 'g1');
}

async function run(sink: Sink, isDone: () => boolean): Promise<void> {
  const { db } = storage;
  const facts = { chain: 'g1', clusterName: 'c1', log: silentLog, now: Date.now };
  const stream = openEventStream({ ...facts, db, queue: undefined, strict: false });
  const news = createLogNews(db, silentLog);
  const running = runSinks([sink], { db, stream, news, log: silentLog });
  await vi.waitFor(() => expect(isDone()).toBe(true), { timeout: 10_000 });
  news.close();
  await running.close();
  await stream.close();
}

const isWhole = (copy: string) => copy.includes('late') && (copy.match(/"checkpoint":/g)?.length ?? 0) === 2;

const KINDS: Record<string, () => Promise<string>> = {
  async file() {
    const path = join(openTestFolder(), 'events.jsonl');
    const read = () => {
      try {
        return readFileSync(path, 'utf8');
      } catch {
        return '';
      }
    };
    await run(fileSink({ name: 'copy', path }), () => isWhole(read()));
    return read();
  },

  async webhook() {
    let heard = '';
    const server = createServer(async (request, response) => {
      heard += await text(request);
      response.end();
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    await run(webhookSink({ name: 'siem', url }), () => isWhole(heard));
    return heard;
  },

  syslog: async () => (await syslogMessages()).map((message) => `${message}\n`).join(''),

  /** As it came over the wire, without a line end. */
  'syslog stream': async () =>
    (await syslogMessages()).map((message) => `${Buffer.byteLength(message)} ${message}`).join(''),

  /** As a common server writes it to its file, with a head of its own. */
  'rewritten syslog': async () =>
    (await syslogMessages())
      .map((message) => `Nov 16 02:00:00 c1 gatehouse ${message.slice(message.indexOf('\ufeff'))}\n`)
      .join(''),
};

async function syslogMessages(): Promise<string[]> {
  const dataDir = openTestFolder();
  const certificate = await selfMadeCertificate({ dataDir, names: ['localhost'], now: Date.now() });
  let received = Buffer.alloc(0);
  const server = createTlsServer({ cert: certificate.cert, key: certificate.key }, (socket) => {
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
    });
    socket.on('error', () => {});
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const ca = readFileSync(authorityFile(dataDir), 'utf8');
  await run(syslogSink({ name: 'syslog', host: 'localhost', port, ca }), () => isWhole(received.toString()));
  const messages: string[] = [];
  for (let rest = received; rest.length > 0; ) {
    const count = /^\d+/.exec(rest.subarray(0, 12).toString())![0];
    const end = count.length + 1 + Number(count);
    messages.push(rest.subarray(count.length + 1, end).toString());
    rest = rest.subarray(end);
  }
  return messages;
}

function verify(copy: string, { key = pem, isPart = false }: { key?: string | undefined; isPart?: boolean } = {}) {
  const verifier = new ExportVerifier({ publicKey: key, checkpoint: undefined, isPart });
  for (const line of copy.split('\n')) if (verifier.add(line)) break;
  return verifier.end();
}

test.each(Object.keys(KINDS))('a copy by a sink (%s) is proven by the checkpoints in it', async (kind) => {
  await fillLog();
  const copy = await KINDS[kind]!();

  const verdict = verify(copy);

  expect(verdict.problem).toBeUndefined();
  expect(verdict).toMatchObject({ ok: true, anchored: true, checkpoint: { number: 2 } });
  expect(verdict.checked).toBeGreaterThanOrEqual(USERS.length + 1);
});

test('a batch that came twice is no finding', async () => {
  await fillLog();
  const copy = await KINDS.webhook!();

  expect(verify(copy + copy)).toMatchObject({ ok: true });
});

test('a copy that was changed, cut, rewritten or signed by somebody else is named', async () => {
  await fillLog();
  const copy = await KINDS.file!();
  const lines = copy.trimEnd().split('\n');
  const at = lines.findIndex((line) => line.includes('"dan"'));
  const signed = lines.findLastIndex((line) => line.startsWith('{"checkpoint"'));
  const joined = (given: readonly string[]) => given.map((line) => `${line}\n`).join('');

  expect(verify(copy.replace('"user":"dan"', '"user":"fay"')).problem?.reason).toBe(
    "event 2 of chain 'g2' was changed after it was written",
  );
  // The last one of its chain: only what was signed knows that it was there.
  expect(verify(joined(lines.toSpliced(at, 1))).problem?.reason).toBe(
    "event 2 of chain 'g2' is missing, though the log had 2 events",
  );
  expect(verify(joined(lines.filter((line) => !line.includes('"chain":"g2"')))).problem).toMatchObject({
    chain: 'g2',
    index: 1,
  });
  expect(() => verify(copy.slice(0, -20))).toThrow(`line ${lines.length} is no event with its proof, or is cut off`);
  const forged = lines.with(signed, lines[signed]!.replace('\\"number\\":2', '\\"number\\":3'));
  expect(verify(joined(forged)).problem?.reason).toContain(
    `the checkpoint in line ${signed + 1} is not signed by this key`,
  );
  const other = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString();
  expect(verify(copy, { key: other }).ok).toBe(false);
});

test('a copy that begins where older events had expired is proven from the beginning that was signed', async () => {
  await fillLog();
  const { db } = storage;
  const first = await db
    .selectFrom('event')
    .select('hash')
    .where('chain', '=', 'g1')
    .where('chain_index', '=', 1)
    .executeTakeFirstOrThrow();
  await db.deleteFrom('event').where('chain', '=', 'g1').where('chain_index', '=', 1).execute();
  await db
    .updateTable('event_chain')
    .set({ start_index: 1, start_hash: first.hash })
    .where('chain', '=', 'g1')
    .execute();
  await db.deleteFrom('event_checkpoint').execute();
  await checkpoint();
  await emit('gil', 'g1');
  await checkpoint();
  const copy = await KINDS.file!();

  expect(verify(copy)).toMatchObject({ ok: true, anchored: true });
  // Without what was signed, the first event is missing.
  const events = copy.split('\n').filter((line) => !line.startsWith('{"checkpoint"'));
  expect(verify(events.join('\n')).problem).toMatchObject({ chain: 'g1', index: 1 });
});
