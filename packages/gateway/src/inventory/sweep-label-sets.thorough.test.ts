import { afterAll, beforeAll } from 'vitest';
import { labelSweepSuite } from '../../testing/inventory/label-sweep-suite.ts';
import { openMemoryStorage } from '../../testing/storage/memory-storage.ts';
import type { Storage } from '../platform/storage/storage.ts';

let storage: Storage;
beforeAll(async () => {
  storage = await openMemoryStorage();
});
afterAll(() => storage.close());

labelSweepSuite(() => storage);
