/** What a provider is asked with is used by one gateway at a time. */
import { recheckContract } from '../../../../testing/connectors/recheck-contract.ts';
import { testClock } from '../../../../testing/start-test-gateway.ts';
import { openMemoryStorage } from '../../../../testing/storage/memory-storage.ts';
import { formatMasterKeys, newMasterKey } from '../../../platform/secrets/master-key.ts';
import { Secret } from '../../../platform/std/secret.ts';

recheckContract(async () => {
  const clock = testClock();
  const storage = await openMemoryStorage(() => clock.now);
  const key = new Secret(formatMasterKeys([newMasterKey()]));
  return async () => ({ storage, clock, key });
});
