/** The one error thrown on purpose. Anything else that is thrown is a mistake of ours and answers 500. */
import type { ErrorCode } from '@gatehouse/contract/wire/errors';

/** `fields` travels to the client: facts it acts on, beside the sentence it shows. */
interface AppErrorOptions extends ErrorOptions {
  fields?: Readonly<Record<string, unknown>>;
}

export class AppError extends Error {
  readonly code: ErrorCode;
  readonly fields: Readonly<Record<string, unknown>> | undefined;
  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options);
    this.name = 'AppError';
    this.code = code;
    this.fields = options.fields;
  }
}

/** What the actor may not see is not found either: the two must read the same. */
export function notFound(thing: string, name: string): AppError {
  return new AppError('not_found', `${thing} '${name}' not found`);
}
