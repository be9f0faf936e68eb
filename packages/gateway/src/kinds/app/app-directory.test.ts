import { afterAll, beforeAll } from 'vitest';
import { withdrawnOfferSuite } from '../../../testing/apps/withdrawn-offer-suite.ts';
import { openMemoryStorage } from '../../../testing/storage/memory-storage.ts';
import type { Storage } from '../../platform/storage/storage.ts';

let storage: Storage;
beforeAll(async () => {
  storage = await openMemoryStorage(() => 1);
});
afterAll(() => storage.close());

withdrawnOfferSuite(() => storage);
