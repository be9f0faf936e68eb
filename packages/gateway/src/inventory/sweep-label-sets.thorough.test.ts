import { afterAll, beforeAll } from 'vitest';
import { openMemoryStorage } from '../storage/open-storage.ts';
import type { Storage } from '../storage/storage.ts';
import { labelSweepSuite } from './testing/label-sweep-suite.ts';

let storage: Storage;
beforeAll(async () => {
  storage = await openMemoryStorage();
});
afterAll(() => storage.close());

labelSweepSuite(() => storage);
