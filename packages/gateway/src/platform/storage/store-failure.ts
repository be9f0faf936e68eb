/** What is told to whoever asked, when the store could not do it. */
import { AppError } from '../std/app-error.ts';
import { DISK_IS_FULL, isDiskFull, isStoreDown } from './errors.ts';

export function storeFailure(error: unknown): AppError | undefined {
  if (error instanceof AppError) return undefined;
  if (isDiskFull(error)) return new AppError('unavailable', DISK_IS_FULL, { cause: error });
  if (isStoreDown(error))
    return new AppError('unavailable', 'the database does not answer: try again in a moment', { cause: error });
  return undefined;
}
