/** The bucket of recordings does not answer, or refuses: told by that name, never as "the store", which is the database. */
import { AppError } from '../../../platform/std/app-error.ts';
import { toldError } from '../../../platform/std/told-error.ts';
import { isNetworkDown } from '../../../platform/storage/errors.ts';

export class BucketAway extends AppError {
  override name = 'BucketAway';

  constructor(cause: unknown) {
    const does = isNetworkDown(cause) || isTimeout(cause) ? 'does not answer' : 'cannot be used';
    super('unavailable', `the bucket of recordings ${does}: ${toldError(cause)}`, { cause });
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && /timeout/i.test(error.name);
}

/** For a `catch`: a value instead, where whoever asked goes on without. */
export function orAway(error: unknown): BucketAway {
  if (error instanceof BucketAway) return error;
  throw error;
}

/** Undefined where something was only not found in it. */
export function bucketFailure(error: unknown): BucketAway | undefined {
  if (error instanceof BucketAway) return error;
  const status = statusOf(error);
  const isMissing = status === 404 && error instanceof Error && error.name !== 'NoSuchBucket';
  return isMissing || status === 412 ? undefined : new BucketAway(error);
}

function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('$metadata' in error)) return undefined;
  const { httpStatusCode } = error.$metadata as { httpStatusCode?: number };
  return httpStatusCode;
}
