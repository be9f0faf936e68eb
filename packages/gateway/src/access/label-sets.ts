/** The combinations of labels there are, kept in memory: a set never changes once it exists, so only new ones are read. */
import type { Kind } from '@gatehouse/contract/kinds/kinds';
import { z } from 'zod';
import { readJson } from '../storage/json.ts';
import type { Db } from '../storage/tables.ts';
import type { Labels } from './bind-access.ts';

export interface LabelSet {
  id: number;
  labels: Labels;
}

export interface LabelSets {
  /** All of a kind, by id. Whatever was committed before the call is among them. */
  of(kind: Kind): Promise<readonly LabelSet[]>;
}

const PAGE = 10_000;
const stored = z.record(z.string(), z.string());

export function createLabelSets(db: Db): LabelSets {
  const known = new Map<Kind, LabelSet[]>();
  const reading = new Map<Kind, Promise<void>>();

  async function readNew(kind: Kind, sets: LabelSet[]): Promise<void> {
    for (let more = true; more; ) {
      const rows = await db
        .selectFrom('label_set')
        .select(['id', 'labels'])
        .where('kind', '=', kind)
        .where('id', '>', sets.at(-1)?.id ?? 0)
        .orderBy('id')
        .limit(PAGE)
        .execute();
      for (const { id, labels } of rows) sets.push({ id, labels: stored.parse(readJson(labels)) });
      more = rows.length === PAGE;
    }
  }

  return {
    async of(kind) {
      const sets = known.get(kind) ?? [];
      known.set(kind, sets);
      // One reader at a time, or both would add the same; a caller that waited reads once more for what came meanwhile.
      while (reading.has(kind)) await reading.get(kind);
      const read = readNew(kind, sets).finally(() => reading.delete(kind));
      reading.set(kind, read);
      await read;
      return sets;
    },
  };
}
