/** Which call is being served, known to everything that happens because of it without being handed through. */
import { AsyncLocalStorage } from 'node:async_hooks';

const scope = new AsyncLocalStorage<string>();

export function currentRequestId(): string | undefined {
  return scope.getStore();
}

export function withinRequest<T>(requestId: string, work: () => T): T {
  return scope.run(requestId, work);
}
