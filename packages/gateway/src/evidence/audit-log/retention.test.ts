import { generateKeyPairSync, sign } from 'node:crypto';
import { userLogin } from '@gatehouse/contract/audit/sign-in-events';
import { afterEach, expect, test } from 'vitest';
import { openMemoryStorage } from '../../../testing/storage/memory-storage.ts';
import { verifyChain } from '../../platform/audit/chain.ts';
import { createAudit } from '../../platform/audit/emit.ts';
import { silentLog } from '../../platform/std/log.ts';
import type { Storage } from '../../platform/storage/storage.ts';
import { removeExpired } from './retention.ts';
import { NO_FILTER } from './search/find-query.ts';
import { logReads } from './search/log-reads.ts';
import { setDelivered } from './sinks/cursor-store.ts';

const DAY = 86_400_000;
const START = Date.UTC(2026, 0, 1);
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
const signer = {
  publicKey: pem,
  sign: (body: string) => ({ body, signature: sign(null, Buffer.from(body), privateKey).toString('base64') }),
};

let storage: Storage;
let clock = START;
afterEach(() => storage.close());

async function tenDays(perDay: number) {
  storage = await openMemoryStorage(() => clock);
  const { db } = storage;
  const audit = createAudit({ now: () => clock, clusterName: 'c1', chain: 'g1' });
  for (let day = 0; day < 10; day++) {
    clock = START + day * DAY;
    await db.transaction().execute(async (tx) => {
      for (let index = 0; index < perDay; index++) {
        await audit.emit(tx, userLogin, { user: `u${day}`, success: true, method: 'local' });
      }
    });
  }
  const deps = { db, signer, clusterName: 'c1', log: silentLog, now: () => clock, audit };
  const remove = (sinks: string[] = []) => removeExpired({ ...deps, retentionDays: 3, sinks });
  const verify = () => logReads(db).verify({ from: undefined, to: clock, publicKey: pem, after: undefined });
  return { db, remove, verify };
}

test('what is older than told goes, what is younger stays, and the rest still proves', async () => {
  const { db, remove, verify } = await tenDays(120);

  expect(await remove()).toBe(720);

  const days = await db.selectFrom('event').select('user').distinct().orderBy('user').execute();
  expect(days.map(({ user }) => user)).toEqual(['', 'u6', 'u7', 'u8', 'u9']);
  expect(await verifyChain(db, 'g1')).toEqual({ ok: true, length: 1_201 });
  expect(await verify()).toMatchObject({ ok: true, checked: 481 });
  const counts = await logReads(db).counts({
    from: START,
    to: clock,
    filter: { ...NO_FILTER, user: 'u1' },
    buckets: 1,
  });
  expect(counts.total).toBe(0);
  expect(await remove()).toBe(0);
});

test('events that were removed without a signature are missing', async () => {
  const { db, remove, verify } = await tenDays(3);
  await remove();
  const { hash } = await db.selectFrom('event').select('hash').where('chain_index', '=', 20).executeTakeFirstOrThrow();

  await db.deleteFrom('event').where('chain_index', '<=', 20).execute();
  await db.updateTable('event_chain').set({ start_index: 20, start_hash: hash }).execute();

  expect(await verify()).toMatchObject({ ok: false, problem: { index: 19 } });
});

test('nothing goes that a sink has not been given', async () => {
  const { db, remove } = await tenDays(3);

  expect(await remove(['siem'])).toBe(0);
  await setDelivered(db, 'siem', 'g1', 5);
  expect(await remove(['siem'])).toBe(5);
});
