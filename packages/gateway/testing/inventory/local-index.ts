/** The index of lists without a thread of its own, used from the first resource on; says how often it, and not SQL, has answered. */

import { createListIndex, type ListIndex } from '../../src/inventory/list-index/create-list-index.ts';
import { createIndexShelves } from '../../src/inventory/list-index/index-requests.ts';
import type { IndexThread } from '../../src/inventory/list-index/index-thread.ts';
import { silentLog } from '../../src/platform/std/log.ts';
import type { Db } from '../../src/platform/storage/tables.ts';

export interface LocalIndex extends ListIndex {
  answers: number;
}

/** `warm` waits for it to be filled before each answer. */
export function openLocalIndex(db: Db, warm: 'warm' | 'as it is' = 'warm'): LocalIndex {
  const index = createListIndex({ db, log: silentLog, least: 0, startThread: localThread });
  const local: LocalIndex = {
    answers: 0,
    async find(seen, plan) {
      let found = await index.find(seen, plan);
      for (let wait = 0; !found && warm === 'warm' && wait < 1_000; wait += 1) {
        await new Promise((resolve) => setImmediate(resolve));
        found = await index.find(seen, plan);
      }
      if (found) local.answers += 1;
      return found;
    },
    refresh: () => index.refresh(),
    prepare: (place) => index.prepare(place),
    close: () => index.close(),
  };
  return local;
}

function localThread(): IndexThread {
  const handle = createIndexShelves();
  return {
    ended: false,
    ask: async (request) => structuredClone(handle(structuredClone(request))),
    close: async () => {},
  };
}
