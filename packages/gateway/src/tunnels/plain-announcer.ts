/** Writes what agents offer straight into the inventory. */
import { removeOffered } from '../agents/remove-offered.ts';
import { type NewResource, putResources } from '../inventory/resource-store.ts';
import type { Db } from '../storage/tables.ts';

export function createAnnouncer({ db, now }: { db: Db; now: () => number }) {
  const waiting = new Map<string, NodeJS.Timeout>();
  const remove = (owner: string) => db.transaction().execute((tx) => removeOffered(tx, owner));
  const stay = (owner: string) => {
    clearTimeout(waiting.get(owner));
    waiting.delete(owner);
  };
  return {
    async report(owner: string, resources: NewResource[]) {
      stay(owner);
      await db.transaction().execute((tx) => putResources(tx, resources, now()));
      return { refused: [] };
    },
    alive: async (owner: string) => stay(owner),
    async gone(owner: string, graceMs: number) {
      stay(owner);
      if (graceMs === 0) await remove(owner);
      else waiting.set(owner, setTimeout(() => void remove(owner).catch(() => {}), graceMs).unref());
    },
    async close() {
      for (const owner of waiting.keys()) stay(owner);
    },
  };
}
