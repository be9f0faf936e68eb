/** Tokens that this page has made, with their secrets: here and nowhere else, so that a reload forgets them. */
import { createStore, useStore } from '../../platform/browser/store.ts';
import type { JoinToken } from '../../shared/enrolment/join-token.ts';

const made = createStore<Readonly<Record<string, JoinToken>>>({});

export function rememberToken(token: JoinToken): void {
  made.set((before) => ({ ...before, [token.id]: token }));
}

export function useMadeToken(id: string | undefined): JoinToken | undefined {
  const tokens = useStore(made);
  return id === undefined ? undefined : tokens[id];
}
