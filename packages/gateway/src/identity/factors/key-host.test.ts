import { afterEach, beforeEach, expect, test } from 'vitest';
import { openMemoryStorage } from '../../../testing/storage/memory-storage.ts';
import { silentLog } from '../../platform/std/log.ts';
import type { Storage } from '../../platform/storage/storage.ts';
import { insertKey } from '../stores/device-store.ts';
import { insertUser } from '../stores/user-store.ts';
import { warnOfNewHost } from './key-host.ts';

let storage: Storage;
let warnings: string[];
beforeEach(async () => {
  storage = await openMemoryStorage();
  warnings = [];
});
afterEach(() => storage.close());

const start = (host: string) =>
  warnOfNewHost(storage.db, host, { ...silentLog, warn: (_, message) => void warnings.push(message) });

async function addKey(): Promise<void> {
  const credential = { credentialId: 'id', publicKey: new Uint8Array(8), counter: 0, transports: [] };
  await storage.db.transaction().execute(async (tx) => {
    await insertUser(tx, { name: 'ann', roles: [], traits: {}, created: 0, createdBy: 'test' });
    await insertKey(tx, { user: 'ann', name: 'key', added: 0, address: '', usage: 'mfa', credential });
  });
}

test('a new public name is warned of at every start while keys of the old one exist', async () => {
  await start('old.example.com');
  await addKey();
  await start('old.example.com');
  expect(warnings).toEqual([]);

  await start('new.example.com');
  await start('new.example.com');

  expect(warnings).toHaveLength(2);
});

test('without keys a name may change', async () => {
  await start('old.example.com');
  await start('new.example.com');

  expect(warnings).toEqual([]);
});
