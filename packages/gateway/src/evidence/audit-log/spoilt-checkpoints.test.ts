import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { joinTokenDeleted } from '@gatehouse/contract/kinds/node/server-events';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { openMemoryStorage } from '../../../testing/storage/memory-storage.ts';
import { openTestFolder } from '../../../testing/storage/test-folder.ts';
import { EVENT_COLUMNS, eventHash } from '../../platform/audit/chain.ts';
import { createAudit } from '../../platform/audit/emit.ts';
import { openSecretBox } from '../../platform/secrets/open-secret-box.ts';
import { silentLog } from '../../platform/std/log.ts';
import type { Storage } from '../../platform/storage/storage.ts';
import { openAuditLog } from './open-audit-log.ts';
import { SigningRefused } from './signed-ends.ts';
import { MEMORY_FILE, openSignedMemory } from './signed-memory.ts';
import { openSigner } from './signing.ts';
import { verifyLog } from './verify-log.ts';
import { writeCheckpoint } from './write-checkpoints.ts';

let storage: Storage;
afterEach(() => storage.close());

async function signedLog() {
  storage = await openMemoryStorage();
  const { db } = storage;
  const dataDir = openTestFolder();
  const now = Date.now;
  const secrets = await openSecretBox(db, { dataDir, log: silentLog });
  const audit = createAudit({ now, clusterName: 'main', chain: 'gateway' });
  const emit = (name: string) =>
    db.transaction().execute((tx) => audit.emit(tx, joinTokenDeleted, { user: 'mallory', name }));
  const open = async () => {
    const memory = await openSignedMemory({ dataDir, secrets, db, chain: 'gateway' });
    const signer = await openSigner(db, secrets, now(), memory.last()?.publicKey);
    const deps = { db, signer, memory, clusterName: 'main', log: silentLog, now };
    const checkpoint = async () => {
      const signed = await db.transaction().execute((tx) => writeCheckpoint(tx, deps));
      if (signed !== undefined) await memory.remember(signed, signer.publicKey);
    };
    const verify = (remembered = memory.last()?.text) =>
      verifyLog(db, {
        from: undefined,
        to: now() + 1_000,
        publicKey: [signer.publicKey, ...signer.earlierKeys].join('\n'),
        remembered,
        now: now(),
        after: undefined,
      });
    return { memory, signer, checkpoint, verify };
  };
  const gateway = await open();
  for (const name of ['a', 'b', 'c']) await emit(name);
  await gateway.checkpoint();
  for (const name of ['d', 'e']) await emit(name);
  await gateway.checkpoint();
  return { db, dataDir, secrets, audit, emit, open, ...gateway };
}

/** As somebody does who may write to the store and has no key. */
async function rewriteEvents({ db }: Pick<Storage, 'db'>): Promise<void> {
  const rows = await db.selectFrom('event').select(EVENT_COLUMNS).orderBy('chain_index').execute();
  let before = rows[0]!.prev_hash;
  for (const row of rows) {
    const isTheirs = row.chain_index === 2;
    const data = isTheirs ? row.data.replace('mallory', 'alice') : row.data;
    const next = { ...row, data, user: isTheirs ? 'alice' : row.user, prev_hash: before };
    before = eventHash(next);
    await db
      .updateTable('event')
      .set({ data, user: next.user, prev_hash: next.prev_hash, hash: before })
      .where('chain', '=', row.chain)
      .where('chain_index', '=', row.chain_index)
      .execute();
  }
  await db.updateTable('event_chain').set({ hash: before }).where('chain', '=', 'gateway').execute();
}

test('a rewritten log whose checkpoints were spoilt does not verify, and is not signed again', async () => {
  const { db, emit, checkpoint, verify } = await signedLog();
  expect(await verify()).toMatchObject({ ok: true, checked: 5 });

  await rewriteEvents({ db });
  expect(await verify()).toMatchObject({ ok: false, problem: { chain: 'gateway', index: 1 } });
  await db.updateTable('event_checkpoint').set({ signature: 'AAAA' }).execute();

  expect(await verify()).toMatchObject({
    ok: false,
    problem: { reason: expect.stringContaining('checkpoint 1 was changed') },
  });
  await emit('f');
  await expect(checkpoint()).rejects.toThrow(SigningRefused);
  expect(await verify()).toMatchObject({ ok: false });
});

test.each([
  ['deleted', (db: Storage['db']) => db.deleteFrom('event_checkpoint')],
  [
    'of which only the newest was deleted',
    (db: Storage['db']) => db.deleteFrom('event_checkpoint').where('number', '=', 2),
  ],
])('checkpoints that were %s are missed, and a rewritten log with them', async (_, remove) => {
  const { db, emit, checkpoint, verify, open } = await signedLog();
  await remove(db).execute();
  expect(await verify()).toMatchObject({
    ok: false,
    problem: { reason: expect.stringContaining('checkpoint 2 is not the one') },
  });

  await rewriteEvents({ db });
  await emit('f');

  await expect(checkpoint()).rejects.toThrow(SigningRefused);
  // Another process of the same gateway remembers too.
  await expect((await open()).checkpoint()).rejects.toThrow('written anew');
});

test('a checkpoint taken out of the middle is missed, and one put in its place does not follow', async () => {
  const { db, emit, checkpoint, verify, signer } = await signedLog();
  await emit('f');
  await checkpoint();
  const second = await db.selectFrom('event_checkpoint').selectAll().where('number', '=', 2).executeTakeFirstOrThrow();

  await db.deleteFrom('event_checkpoint').where('number', '=', 2).execute();
  expect(await verify()).toMatchObject({ problem: { reason: 'checkpoint 2 is missing' } });
  const other = signer.sign(JSON.stringify({ ...JSON.parse(second.body), time: new Date(0).toISOString() }));
  await db
    .insertInto('event_checkpoint')
    .values({ ...second, ...other })
    .execute();

  expect(await verify()).toMatchObject({ problem: { reason: 'checkpoint 3 does not follow the one before it' } });
});

test('a log that is made to begin later is not signed', async () => {
  const { db, emit, checkpoint } = await signedLog();
  const fifth = await db.selectFrom('event').select('hash').where('chain_index', '=', 5).executeTakeFirstOrThrow();
  await emit('f');
  await db.deleteFrom('event').where('chain_index', '<=', 5).execute();
  await db.updateTable('event_chain').set({ start_index: 5, start_hash: fifth.hash }).execute();

  await expect(checkpoint()).rejects.toThrow('begins at event 6, and nothing signed says so');
});

test('a log whose checkpoints are of the first version still verifies', async () => {
  const { db, verify, signer, emit, checkpoint } = await signedLog();
  for (const row of await db.selectFrom('event_checkpoint').selectAll().execute()) {
    const { previous: _, ...body } = JSON.parse(row.body);
    await db
      .updateTable('event_checkpoint')
      .set(signer.sign(JSON.stringify({ ...body, version: 1 })))
      .where('number', '=', row.number)
      .execute();
  }

  await emit('f');
  const old = await db.selectFrom('event_checkpoint').select('body').where('number', '=', 2).executeTakeFirstOrThrow();
  expect(await verify(old.body)).toMatchObject({ ok: true, checked: 6 });
  await checkpoint();
  const newest = await db.selectFrom('event_checkpoint').select('body').orderBy('number', 'desc').executeTakeFirst();
  expect(await verify(newest?.body)).toMatchObject({ ok: true, checked: 6, checkpoint: { number: 3 } });
});

async function start({ dataDir, secrets, audit }: Awaited<ReturnType<typeof signedLog>>) {
  const log = {
    ...silentLog,
    told: [] as string[],
    error: (...words: unknown[]) => void log.told.push(String(words.at(-1))),
  };
  const opened = await openAuditLog({
    storage,
    secrets,
    access: { require() {} } as never,
    audit,
    clusterName: 'main',
    chain: 'gateway',
    dataDir,
    log,
    now: Date.now,
  });
  onTestFinished(() => opened.close());
  const codes = async () => (await storage.db.selectFrom('event').select('code').execute()).map(({ code }) => code);
  const state = () => opened.handlers.events.state({ actor: {}, params: { clusterId: 'main' } } as never);
  return { ...opened, codes, state, told: log.told };
}

test('a signing key that vanished is told at the start, and what it signed can still be checked', async () => {
  const world = await signedLog();
  await world.db.deleteFrom('secret').where('name', '=', 'audit-checkpoint-key').execute();

  const { signer, codes, told } = await start(world);

  expect(signer.publicKey).not.toBe(world.signer.publicKey);
  expect(signer.earlierKeys).toEqual([world.signer.publicKey]);
  expect(await codes()).toContain('GH338E');
  expect(told.join()).toContain('the key that signed the audit log and recordings is gone');
  expect(await (await world.open()).verify()).toMatchObject({ ok: true });
});

test('an ordinary start tells nothing', async () => {
  const { codes, told } = await start(await signedLog());

  expect(told).toEqual([]);
  expect(await codes()).not.toContain('GH338E');
  expect(await codes()).not.toContain('GH339W');
});

test.each([
  ['gone', (file: string) => rmSync(file)],
  [
    'of somebody else',
    (file: string) => writeFileSync(file, readFileSync(file, 'utf8').replace(/.{8}\n$/, 'AAAAAAAA\n')),
  ],
])('a memory of what was signed that is %s is told at the start', async (_, spoil) => {
  const world = await signedLog();
  spoil(join(world.dataDir, MEMORY_FILE));

  const { codes, state } = await start(world);

  expect(await codes()).toContain('GH339W');
  expect((await state()).memoryLost).toContain(MEMORY_FILE);
});
