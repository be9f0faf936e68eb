import { afterAll, beforeAll } from 'vitest';
import { openMemoryStorage } from '../storage/open-storage.ts';
import type { Storage } from '../storage/storage.ts';
import { withdrawnOfferSuite } from './testing/withdrawn-offer-suite.ts';

let storage: Storage;
beforeAll(async () => {
  storage = await openMemoryStorage(() => 1);
});
afterAll(() => storage.close());

withdrawnOfferSuite(() => storage);
