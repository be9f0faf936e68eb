/** A request that is asked again while it is being answered, because a tab lost the first answer, opens one session. */
import type { Caller } from '../../platform/http/actor.ts';

/** `requireJoin` throws where who asks second may not come in: it may be by another sign-in, which may do less than the first. */
export function createSameRequests<Opened>(requireJoin: (opened: Opened, caller: Caller) => Promise<void>) {
  const opening = new Map<string, Promise<Opened>>();
  return async (caller: Caller, request: string, start: () => Promise<Opened>): Promise<Opened> => {
    const key = `${caller.username} ${request}`;
    const known = opening.get(key);
    if (known) {
      const opened = await known;
      await requireJoin(opened, caller);
      return opened;
    }
    const started = start().finally(() => opening.delete(key));
    opening.set(key, started);
    return await started;
  };
}
