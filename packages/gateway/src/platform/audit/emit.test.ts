import { passwordChanged } from '@gatehouse/contract/audit/account-events';
import { userLogin } from '@gatehouse/contract/audit/sign-in-events';
import { afterEach, expect, test } from 'vitest';
import { openMemoryStorage } from '../../../testing/storage/memory-storage.ts';
import type { Storage } from '../storage/storage.ts';
import { verifyChain } from './chain.ts';
import { createAudit } from './emit.ts';

let storage: Storage;
afterEach(() => storage.close());

const NOW = Date.UTC(2026, 0, 1);

function auditOf(chain: string) {
  return createAudit({ now: () => NOW, clusterName: 'c1', chain });
}

async function emitThree(): Promise<void> {
  storage = await openMemoryStorage(() => NOW);
  const audit = auditOf('g1');
  for (const user of ['ann', 'bob', 'cid']) {
    await storage.db
      .transaction()
      .execute((tx) => audit.emit(tx, passwordChanged, { user }, { signInId: `of-${user}` }));
  }
}

test('an event keeps who, where and what in columns and its fields as data', async () => {
  storage = await openMemoryStorage(() => NOW);
  const audit = auditOf('g1');

  await storage.db
    .transaction()
    .execute((tx) =>
      audit.emit(
        tx,
        userLogin,
        { user: 'ann', success: true, method: 'local', 'addr.remote': '192.0.2.1' },
        { signInId: 's1' },
      ),
    );

  const row = await storage.db.selectFrom('event').selectAll().executeTakeFirstOrThrow();
  expect(row).toMatchObject({
    time: NOW,
    event: 'user.login',
    code: 'T1000I',
    severity: 'info',
    user: 'ann',
    sign_in: 's1',
    resource_kind: 'user',
    resource_name: 'ann',
    address: '192.0.2.1',
    cluster: 'c1',
    chain: 'g1',
    chain_index: 1,
  });
  expect(JSON.parse(row.data)).toEqual({ user: 'ann', success: true, method: 'local', 'addr.remote': '192.0.2.1' });
});

test('an event is gone when its transaction is', async () => {
  await emitThree();
  const audit = auditOf('g1');

  const failed = storage.db.transaction().execute(async (tx) => {
    await audit.emit(tx, passwordChanged, { user: 'dan' });
    throw new Error('no');
  });

  await expect(failed).rejects.toThrow('no');
  expect(await verifyChain(storage.db, 'g1')).toEqual({ ok: true, length: 3 });
});

test('a field the event does not declare is not written', async () => {
  storage = await openMemoryStorage(() => NOW);
  const audit = auditOf('g1');
  const withSecret = { user: 'ann', password: 'hunter2' };

  await storage.db.transaction().execute((tx) => audit.emit(tx, passwordChanged, withSecret));

  expect(JSON.stringify(await storage.db.selectFrom('event').selectAll().execute())).not.toContain('hunter2');
});

test('an untouched chain verifies, and each gateway has its own', async () => {
  await emitThree();
  const other = auditOf('g2');
  await storage.db.transaction().execute((tx) => other.emit(tx, passwordChanged, { user: 'eve' }));

  expect(await verifyChain(storage.db, 'g1')).toEqual({ ok: true, length: 3 });
  expect(await verifyChain(storage.db, 'g2')).toEqual({ ok: true, length: 1 });
});

test('a changed event breaks the chain where it was changed', async () => {
  await emitThree();

  await storage.db.updateTable('event').set({ user: 'mallory' }).where('chain_index', '=', 2).execute();

  expect(await verifyChain(storage.db, 'g1')).toEqual({ ok: false, brokenAt: 2 });
});

test.each([1, 2, 3])('removing event %i breaks the chain', async (index) => {
  await emitThree();

  await storage.db.deleteFrom('event').where('chain_index', '=', index).execute();

  expect(await verifyChain(storage.db, 'g1')).toEqual({ ok: false, brokenAt: index });
});
