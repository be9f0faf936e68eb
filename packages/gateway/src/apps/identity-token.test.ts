import { afterEach, beforeEach, expect, test } from 'vitest';
import { createAudit } from '../audit/emit.ts';
import { formatMasterKeys, newMasterKey } from '../secrets/master-key.ts';
import { openSecretBox } from '../secrets/open-secret-box.ts';
import { silentLog } from '../std/log.ts';
import { Secret } from '../std/secret.ts';
import { openMemoryStorage } from '../storage/open-storage.ts';
import type { Storage } from '../storage/storage.ts';
import { type IdentityTokenDeps, openIdentityTokens } from './identity-token.ts';

let storage: Storage;
let deps: IdentityTokenDeps;
beforeEach(async () => {
  storage = await openMemoryStorage();
  const key = new Secret(formatMasterKeys([newMasterKey()]));
  const box = await openSecretBox(storage.db, { dataDir: '/nonexistent', key, log: silentLog });
  const audit = createAudit({ now: Date.now, clusterName: 'main', chain: 'gateway' });
  deps = { db: storage.db, box, audit, log: silentLog, now: Date.now };
});
afterEach(() => storage.close());

const lostEvents = () => storage.db.selectFrom('event').select('data').where('code', '=', 'GH361E').execute();

test('gateways sign who is there with the same key', async () => {
  const [first] = (await openIdentityTokens(deps)).keys();
  const [second] = (await openIdentityTokens(deps)).keys();

  expect(second).toEqual(first);
  expect(await lostEvents()).toEqual([]);
});

test('a key that vanished from the store is made anew, and the audit log tells it once', async () => {
  const [first] = (await openIdentityTokens(deps)).keys();
  await storage.db.deleteFrom('secret').where('name', '=', 'application identity key').execute();

  const [second] = (await openIdentityTokens(deps)).keys();
  await openIdentityTokens(deps);

  expect(second!.kid).not.toBe(first!.kid);
  expect(await lostEvents()).toEqual([{ data: expect.stringContaining('application identity key') }]);
});
