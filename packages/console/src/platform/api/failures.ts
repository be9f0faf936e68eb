/** The ways a call fails without a word of the gateway. Told apart by name: asking for the class would bring this file's users into one chunk. */

/** Nobody answered: the network or the gateway is away. */
export class NoAnswerError extends Error {
  override name = 'NoAnswerError';
}

/** Somebody answered, and it was not what the contract says. */
export class UnreadableAnswerError extends Error {
  override name = 'UnreadableAnswerError';

  constructor(cause: unknown) {
    super('the answer is not what the contract says', { cause });
  }
}

/** A part of the console's own code did not come. Its message is a sentence for people already. */
export class MissingCodeError extends Error {
  override name = 'MissingCodeError';
}

const ABORTED = ['AbortError', 'TimeoutError'];

export function isNoAnswer(error: unknown): boolean {
  return error instanceof Error && (error.name === 'NoAnswerError' || ABORTED.includes(error.name));
}

export function isUnreadable(error: unknown): error is Error {
  return error instanceof Error && error.name === 'UnreadableAnswerError';
}

export function isMissingCode(error: unknown): error is Error {
  return error instanceof Error && error.name === 'MissingCodeError';
}
