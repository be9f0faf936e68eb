/** Whether the bucket of recordings answers, with the credentials of whoever asks. */
import type { BucketConfig } from '../../platform/config/recording-schema.ts';
import { toldError } from '../../platform/std/told-error.ts';
import { type Finding, fails, stands } from './check.ts';

export async function lookAtBucket(config: BucketConfig | undefined): Promise<Finding> {
  if (!config) return stands('none is configured: recordings stay in the data folder');
  const { openBucketStore } = await import('../../evidence/recordings/stores/bucket-store.ts');
  const name = `s3://${config.bucket}/${config.prefix}`;
  const bucket = openBucketStore(config);
  try {
    // One page is enough to know that it answers and lets us look; nothing is written.
    await bucket.list()[Symbol.asyncIterator]().next();
    return stands(`${name} answers`);
  } catch (error) {
    const where = config.endpoint === undefined ? 'the network' : config.endpoint;
    return fails(
      `${name}: ${toldError(error)}`,
      `look at recordings.store, the AWS credentials in the environment of the gateway, and ${where}; recordings wait in the data folder meanwhile`,
    );
  } finally {
    bucket.close();
  }
}
