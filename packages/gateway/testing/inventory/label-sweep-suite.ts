/** Label sets that nobody has are removed, and nothing that somebody has: run against each engine. */
import { expect, test } from 'vitest';
import { createLabelSets } from '../../src/access/label-sets.ts';
import { askAboutLabels } from '../../src/inventory/label-set-store.ts';
import { type NewResource, putResources } from '../../src/inventory/resource-store.ts';
import { sweepLabelSets } from '../../src/inventory/sweep-label-sets.ts';
import type { Storage } from '../../src/platform/storage/storage.ts';

export function labelSweepSuite(open: () => Pick<Storage, 'db'>): void {
  const put = (...all: [id: string, build: string][]) =>
    open()
      .db.transaction()
      .execute(async (tx) => {
        await askAboutLabels(tx, ['build']);
        await putResources(
          tx,
          all.map(
            ([id, build]): NewResource => ({
              ...{ cluster: 'main', kind: 'node', id, name: id, labels: { build }, spec: {}, owner: '' },
              expires: undefined,
            }),
          ),
          1,
        );
      });
  const referenced = async () => {
    const { db } = open();
    const rows = await db
      .selectFrom('resource')
      .leftJoin('label_set', 'label_set.id', 'resource.label_set')
      .select('label_set.id')
      .execute();
    return rows.every(({ id }) => id !== null);
  };

  test('a label that changes all the time leaves one set behind, in the store and in memory', async () => {
    const { db } = open();
    const sets = createLabelSets(db);
    await sets.of('node');
    for (let count = 0; count < 2_500; count += 50) {
      await put(...Array.from({ length: 50 }, (_, index): [string, string] => [`n${index}`, `${count + index}`]));
    }
    const before = (await sets.of('node')).length;
    expect(before).toBeGreaterThanOrEqual(2_500);

    expect(await sweepLabelSets(db)).toBe(before - 50);
    await put(['n0', 'new']);

    const held = await sets.of('node');
    expect(held).toHaveLength(51);
    expect(held.at(-1)?.labels).toEqual({ build: 'new' });
    expect(await referenced()).toBe(true);
    expect(await sweepLabelSets(db)).toBe(1);
    expect(await sets.of('node')).toBe(held);
  });

  test('sweeping while others write takes away nothing that somebody is about to have', async () => {
    const { db } = open();
    const write = async (who: string) => {
      for (let count = 0; count < 25; count += 1)
        await put([who, count % 2 === 0 ? 'a' : 'b'], [`${who}x`, `${count % 3}`]);
    };
    const sweep = async () => {
      for (let count = 0; count < 25; count += 1) await sweepLabelSets(db);
    };

    await Promise.all([write('one'), write('two'), sweep(), sweep()]);

    expect(await referenced()).toBe(true);
    const seen = new Set((await createLabelSets(db).of('node')).map(({ labels }) => labels.build));
    expect(seen.has('a')).toBe(true);
  });
}
