/** The combinations of labels there are, kept in memory: a set never changes once it exists, so only new ones are read. */
import type { Kind } from '@gatehouse/contract/kinds/kinds';
import { z } from 'zod';
import { readJson } from '../platform/storage/json.ts';
import type { Db } from '../platform/storage/tables.ts';
import type { Labels } from './bind-access.ts';

export interface LabelSet {
  id: number;
  labels: Labels;
}

export interface LabelSets {
  /** All of a kind, by id; also some that nobody has any more. Whatever was committed before the call is among them. The same array as long as it only grows. */
  of(kind: Kind): Promise<readonly LabelSet[]>;
}

const PAGE = 10_000;
/** Those that went are forgotten once there may be as many of them as of the others, and this many more. */
const MAX_GONE = 1_000;
const stored = z.record(z.string(), z.string());

export function createLabelSets(db: Db): LabelSets {
  const known = new Map<Kind, LabelSet[]>();
  /** How many there were when they were last read from the beginning. */
  const whole = new Map<Kind, number>();
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
      // One reader at a time, or both would add the same; a caller that waited reads once more for what came meanwhile.
      while (reading.has(kind)) await reading.get(kind);
      const held = known.get(kind);
      const isStale = !held || held.length > 2 * (whole.get(kind) ?? 0) + MAX_GONE;
      const sets = isStale ? [] : held;
      const read = readNew(kind, sets).finally(() => reading.delete(kind));
      reading.set(kind, read);
      await read;
      known.set(kind, sets);
      if (isStale) whole.set(kind, sets.length);
      return sets;
    },
  };
}
