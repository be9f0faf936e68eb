/** Writes failed calls to the browser's console, so that whoever asks for help can say what happened. */
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { isUnreadable } from './failures.ts';

/** What failed last in each way: a poll that is refused every few seconds is one line, until it works again. */
const failing = new Map<string, string>();
const MAX_FAILING = 500;

/** `call`: method and path as the contract writes them, without what is in the address. */
export function logFailure(call: string, error: unknown): void {
  const { status, requestId } = error as { status?: unknown; requestId?: unknown };
  const message = errorMessage(error);
  const how = `${String(status ?? '')} ${message}`;
  if (failing.get(call) === how) return;
  if (failing.size >= MAX_FAILING) failing.clear();
  failing.set(call, how);
  const facts = [status === undefined ? undefined : `status ${status}`, requestId && `request ${requestId}`];
  const line = [`${call} failed: ${message}`, ...facts.filter(Boolean)].join(', ');
  // What the gateway refuses, or a network that is away, is no mistake of the console; an answer it cannot read is one.
  if (isUnreadable(error)) console.error(line, error.cause);
  else console.warn(line);
}

export function logSuccess(call: string): void {
  failing.delete(call);
}
