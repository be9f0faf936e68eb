import { afterAll, beforeAll } from 'vitest';
import { announceSuite } from '../../testing/inventory/announce-suite.ts';
import { openMemoryStorage } from '../../testing/storage/memory-storage.ts';
import type { Storage } from '../platform/storage/storage.ts';

let storage: Storage;
beforeAll(async () => {
  storage = await openMemoryStorage(() => 0);
});
afterAll(() => storage.close());

announceSuite(() => storage);
