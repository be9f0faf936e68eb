/** Something that is committed between what a call decides first and its own transaction. */
import { vi } from 'vitest';
import type { Tx } from '../src/platform/storage/tables.ts';
import type { TestGateway } from './start-test-gateway.ts';

/** The store in memory serves one after the other: what is asked for here comes before whatever the call asks for next. */
export function meanwhile(
  { access, storage }: Pick<TestGateway, 'access' | 'storage'>,
  { user, verb }: { user: string; verb: string },
  change: (tx: Tx) => Promise<void>,
): { committed(): Promise<void> } {
  const decide = access.decide;
  let committed: Promise<void> | undefined;
  const spy = vi.spyOn(access, 'decide').mockImplementation((actor, action) => {
    if (!committed && actor.username === user && action.type === 'verb' && action.verb === verb)
      committed = storage.db.transaction().execute(change);
    return decide(actor, action);
  });
  return {
    async committed() {
      spy.mockRestore();
      if (!committed) throw new Error(`nothing was decided about '${verb}' by ${user}`);
      await committed;
    },
  };
}
