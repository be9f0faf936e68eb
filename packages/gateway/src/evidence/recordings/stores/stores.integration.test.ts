import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { madeRecording, madeSession } from '../../../../testing/recordings/make-recording.ts';
import { recordedOutput } from '../../../../testing/recordings/recorded-output.ts';
import { startRecordingWorld } from '../../../../testing/recordings/recording-world.ts';
import { type S3Server, startS3Server } from '../../../../testing/recordings/s3-server.ts';
import { describeRecordingStore } from '../../../../testing/recordings/store-contract.ts';
import { testSigner } from '../../../../testing/recordings/test-signer.ts';
import { createAudit, GATEWAY_CHAIN } from '../../../platform/audit/emit.ts';
import { silentLog } from '../../../platform/std/log.ts';
import type { Db } from '../../../platform/storage/tables.ts';
import { findRecording } from '../recording-status-store.ts';
import { type BucketStore, openBucketStore } from './bucket-store.ts';
import { type DiskStore, openDiskStore } from './disk-store.ts';
import { noteUpload } from './note-upload.ts';
import { openSpooledStore, type SpooledStore } from './spooled-store.ts';

const root = mkdtempSync(join(tmpdir(), 'gatehouse-stores-'));
const server = Promise.withResolvers<S3Server>();
const open: BucketStore[] = [];
const newFolder = () => mkdtempSync(join(root, 'folder-'));
const newBucket = async (prefix = `${randomUUID()}/`) => {
  const bucket = openBucketStore({ ...(await server.promise).options, prefix });
  open.push(bucket);
  return bucket;
};

beforeAll(async () => server.resolve(await startS3Server()));
afterAll(async () => {
  for (const bucket of open) bucket.close();
  await (await server.promise).close();
  rmSync(root, { recursive: true });
});

function write(folder: string, sid: string, bytes: Buffer): string {
  const path = join(folder, `${sid}.rec`);
  writeFileSync(path, bytes);
  return path;
}

describeRecordingStore('recordings in a folder', async () => {
  const folder = newFolder();
  return { store: openDiskStore(folder), put: async (sid, bytes) => void write(folder, sid, bytes) };
});

describeRecordingStore('recordings in a bucket', async () => {
  const bucket = await newBucket();
  const folder = newFolder();
  return { store: bucket, put: (sid, bytes) => bucket.upload(sid, write(folder, sid, bytes)) };
});

describeRecordingStore('recordings on their way to a bucket', async () => {
  const folder = newFolder();
  const store = openSpooledStore({
    folder,
    local: openDiskStore(folder),
    bucket: await newBucket(),
    log: silentLog,
    onTried: async () => {},
  });
  return { store, put: async (sid, bytes) => void write(folder, sid, bytes) };
});

async function spooled({ prefix = `${randomUUID()}/`, folder = newFolder() } = {}) {
  const tried: (string | undefined)[] = [];
  const bucket = await newBucket(prefix);
  const store = openSpooledStore({
    folder,
    local: openDiskStore(folder),
    bucket,
    log: silentLog,
    onTried: async (_, error) => void tried.push(error),
    firstRetryMs: 50,
  });
  return { store, tried, folder, bucket, prefix };
}

test('a recording that is over moves to the bucket with what is beside it, and is freed here only then', async () => {
  const { store, tried, folder, bucket } = await spooled();
  const sid = randomUUID();
  const bytes = Buffer.alloc(18_000_000, 'recording ');
  const path = write(folder, sid, bytes);
  await store.writeBeside(sid, 'index', Buffer.from('index'));
  await store.upload(sid);
  await store.upload(sid);
  await vi.waitFor(() => expect(tried).toEqual([undefined]), 10_000);

  expect(existsSync(path)).toBe(false);
  const source = await store.open(sid);
  expect(source?.bytes).toBe(bytes.length);
  expect(String(await source?.read(17_999_990, 100))).toBe('recording ');
  expect(String(await bucket.readBeside(sid, 'index'))).toBe('index');
  await store.close();
});

test('an upload that is cut is tried again, and the recording is played from here meanwhile', async () => {
  const { store, tried, folder } = await spooled();
  const sid = randomUUID();
  const path = write(folder, sid, Buffer.alloc(2_000_000, 'x'));
  (await server.promise).cutAfter(500_000);
  await store.upload(sid);
  await vi.waitFor(() => expect(tried.length).toBeGreaterThan(0), 10_000);

  expect(tried[0]).toBeTruthy();
  expect(existsSync(path)).toBe(true);
  const here = await store.open(sid);
  expect(here?.bytes).toBe(2_000_000);
  await here?.close();
  (await server.promise).cutAfter(undefined);
  await vi.waitFor(() => expect(tried.at(-1)).toBeUndefined(), 10_000);
  expect(existsSync(path)).toBe(false);
  expect((await store.open(sid))?.bytes).toBe(2_000_000);
  await store.close();
});

test('a gateway that was killed between upload and removal finds that it is there already', async () => {
  const first = await spooled();
  const sid = randomUUID();
  const path = write(first.folder, sid, Buffer.from('recording'));
  await first.bucket.upload(sid, path);
  await first.store.close();
  const second = await spooled(first);
  await second.store.upload(sid);
  await vi.waitFor(() => expect(second.tried).toEqual([undefined]), 5_000);

  expect(existsSync(path)).toBe(false);
  await second.store.close();
});

test('a recording in the bucket is never overwritten by another', async () => {
  const { store, tried, folder, bucket } = await spooled();
  const sid = randomUUID();
  await bucket.upload(sid, write(newFolder(), sid, Buffer.from('the first')));
  const path = write(folder, sid, Buffer.from('another'));
  await store.upload(sid);
  await vi.waitFor(() => expect(tried.length).toBeGreaterThan(0), 5_000);

  expect(tried[0]).toContain('another recording of this session');
  expect(existsSync(path)).toBe(true);
  expect(String(await (await bucket.open(sid))?.read(0, 100))).toBe('the first');
  await store.close();
});

test('while the bucket is down, sessions count as not uploaded with the cause, and play; when it is back all is well', async () => {
  const prefix = `${randomUUID()}/`;
  const first = await newBucket(prefix);
  let store: SpooledStore | undefined;
  // Whichever is open at the moment.
  const lent = new Proxy({} as SpooledStore, { get: (_, name) => Reflect.get(store ?? {}, name) });
  const audit = createAudit({ now: Date.now, clusterName: 'main', chain: GATEWAY_CHAIN });
  const place = ({ db, folder, local }: { db: Db; folder: string; local: DiskStore }) => {
    const onTried = (sid: string, error: string | undefined) => noteUpload({ db, audit, bucket: first }, sid, error);
    store = openSpooledStore({ folder, local, bucket: first, log: silentLog, onTried, firstRetryMs: 600_000 });
    return { store: lent, upload: (sid: string) => lent.upload(sid) };
  };
  const world = await startRecordingWorld({ place });
  (await server.promise).cutAfter(0);
  const { session } = await world.recorded();
  await world.reconciler.look();
  // The gateway is killed, and the next one finds it.
  await store?.close();
  const bucket = await newBucket(prefix);
  store = openSpooledStore({
    folder: world.folder,
    local: world.local,
    bucket,
    log: silentLog,
    onTried: (sid, error) => noteUpload({ db: world.db, audit, bucket }, sid, error),
    firstRetryMs: 100,
  });
  await world.reconciler.lookAtAll().catch(() => {});
  await vi.waitFor(
    async () =>
      expect((await world.coverage()).gaps).toMatchObject([
        { sid: session.id, cause: 'not_uploaded', reason: expect.stringMatching(/^it is not in the bucket yet: ./) },
      ]),
    10_000,
  );
  expect(await findRecording(world.db, session.id)).toMatchObject({ state: 'complete' });
  expect(String(await recordedOutput(world.pathOf(session)))).toBe('what was printed\r\n');

  (await server.promise).cutAfter(undefined);
  await vi.waitFor(async () => expect((await world.coverage()).share).toBe(1), 10_000);
  expect(existsSync(world.pathOf(session))).toBe(false);
  // Told once, however often it was tried, and by the names of people and machines.
  const told = await world.db
    .selectFrom('event')
    .select(['code', 'data', 'session'])
    .where('code', '=', 'T2005I')
    .execute();
  expect(told.map(({ data, session: sid }) => ({ sid, ...JSON.parse(data) }))).toMatchObject([
    { sid: session.id, url: bucket.urlOf(session.id), owner: 'ann', server_hostname: 'web-1', login: 'root' },
  ]);
  expect(bucket.urlOf(session.id)).toMatch(/^s3:\/\/.+\.rec$/);
  await world.reconciler.lookAtAll();
  expect(await world.coverage()).toMatchObject({ sessions: 1, recorded: 1 });

  // Whoever can write into the bucket cannot do it unseen.
  await bucket.remove(session.id);
  const forged = write(newFolder(), session.id, await madeRecording(testSigner(), madeSession({ id: session.id })));
  await bucket.upload(session.id, forged);
  await world.reconciler.lookAtAll();
  expect((await world.coverage()).gaps).toMatchObject([{ sid: session.id, cause: 'corrupted' }]);
  await bucket.remove(session.id);
  await world.reconciler.lookAtAll();
  expect((await world.coverage()).gaps).toMatchObject([{ sid: session.id, cause: 'missing' }]);
  await world.close();
  await store?.close();
});
