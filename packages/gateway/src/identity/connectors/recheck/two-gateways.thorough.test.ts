/** What a provider is asked with is used by one gateway at a time. */
import { recheckContract } from '../../../../testing/connectors/recheck-contract.ts';
import { testKey } from '../../../../testing/secrets/test-key.ts';
import { testClock } from '../../../../testing/start-test-gateway.ts';
import { openMemoryStorage } from '../../../../testing/storage/memory-storage.ts';

recheckContract(async () => {
  const clock = testClock();
  const storage = await openMemoryStorage(() => clock.now);
  const key = testKey();
  return async () => ({ storage, clock, key });
});
