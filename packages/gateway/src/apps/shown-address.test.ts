import { afterAll, beforeAll } from 'vitest';
import { openMemoryStorage } from '../storage/open-storage.ts';
import type { Storage } from '../storage/storage.ts';
import { shownAddressSuite } from './testing/shown-address-suite.ts';

let storage: Storage;
beforeAll(async () => {
  storage = await openMemoryStorage(() => 0);
});
afterAll(() => storage.close());

shownAddressSuite(() => storage);
