/** A store on PostgreSQL for several gateways: each opens it for itself, and all have one clock and one key. */
import { testKey } from '../secrets/test-key.ts';
import { type SharedStore, testClock } from '../start-test-gateway.ts';
import { openSuiteStorage } from './test-folder.ts';

export function sharedStores(url: string): () => Promise<SharedStore> {
  const clock = testClock();
  const key = testKey();
  return async () => ({ storage: await openSuiteStorage(url, { now: () => clock.now }), clock, key });
}
