/** The one error thrown on purpose. Anything else that is thrown is a mistake of ours and answers 500. */
import type { ErrorCode } from '@gatehouse/contract/errors';

export class AppError extends Error {
  readonly code: ErrorCode;
  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'AppError';
    this.code = code;
  }
}

/** What the actor may not see is not found either: the two must read the same. */
export function notFound(thing: string, name: string): AppError {
  return new AppError('not_found', `${thing} '${name}' not found`);
}
