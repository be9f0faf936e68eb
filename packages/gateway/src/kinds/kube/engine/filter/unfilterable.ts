/** What a cluster answered cannot be told apart, so nothing more of it passes. */
import { AppError } from '../../../../platform/std/app-error.ts';

export function unfilterable(what: string): AppError {
  return new AppError('unavailable', `the cluster's answer cannot be filtered: ${what}`);
}
