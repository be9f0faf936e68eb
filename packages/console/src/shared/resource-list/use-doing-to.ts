/** What is done to one of a list that need not be open: the address has it with its name. */
import { useCallback } from 'react';
import type { ResourceScreen } from './use-resource-screen.ts';

export function useDoingTo(
  verb: string,
  { address, actions: { start } }: Pick<ResourceScreen<unknown>, 'address' | 'actions'>,
) {
  const before = `${verb}:`;
  const begin = useCallback((name: string) => start(`${before}${name}`), [start, before]);
  const name = address.doing?.startsWith(before) ? address.doing.slice(before.length) : undefined;
  return [name, begin] as const;
}
