/** What SQL finds and what the filter says of each resource in memory must be the same, in the same order: run against each engine. */
import { factsOf, type Kind } from '@gatehouse/contract/kinds/kinds';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sortColumn, sortKeys } from '../../src/inventory/kind-fields.ts';
import type { ListIndex } from '../../src/inventory/list-index/create-list-index.ts';
import type { ResourcePage } from '../../src/inventory/list-plan.ts';
import { listResources } from '../../src/inventory/list-resources.ts';
import { matchesFilter } from '../../src/inventory/match-filter.ts';
import { type NewResource, putResources, searchColumn } from '../../src/inventory/resource-store.ts';
import type { Storage } from '../../src/platform/storage/storage.ts';
import * as random from './random-inventory.ts';
import { removeAll } from './remove-all.ts';

const CLUSTER = 'filters';

export function filterSuite(
  open: () => Pick<Storage, 'db'>,
  numRuns: number,
  index: () => Pick<ListIndex, 'find'> | undefined = () => undefined,
): void {
  const kindAndSort = fc.oneof(...(['node', 'db'] as const).map(sortOf));

  test('pages hold exactly what the filter matches, in order, without gap or double, and count it', async () => {
    const { db } = open();
    await fc.assert(
      fc.asyncProperty(
        random.inventory(CLUSTER),
        random.filter,
        kindAndSort,
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 0, max: 4 }),
        async (resources, filter, { kind, field, direction }, limit, skip) => {
          await db.transaction().execute(async (tx) => {
            await removeAll(tx);
            await putResources(tx, resources, 0);
          });
          const expected = resources
            .filter((each) => each.kind === kind)
            .filter((each) => matchesFilter(filter, { ...each, search: searchColumn(each) }))
            .sort((a, b) => compare(keyOf(a, field), keyOf(b, field)) || compare(a.id, b.id))
            .map(({ id }) => id);
          if (direction === 'desc') expected.reverse();
          const page = {
            cluster: CLUSTER,
            kind,
            limit,
            sort: `${field}:${direction}`,
            query: random.writeFilter(filter),
          };

          const { ids, totals } = await allPages(page);
          const skipped = await listResources(db, { type: 'all' }, { ...page, skip }, index());

          expect(ids).toEqual(expected);
          expect(new Set(totals)).toEqual(new Set([expected.length]));
          expect(skipped.items.map(({ id }) => id)).toEqual(expected.slice(skip, skip + limit));
        },
      ),
      { numRuns },
    );

    async function allPages(page: ResourcePage) {
      const ids: string[] = [];
      const totals: number[] = [];
      let startKey: string | undefined;
      do {
        const list = await listResources(db, { type: 'all' }, { ...page, startKey }, index());
        ids.push(...list.items.map(({ id }) => id));
        totals.push(list.totalCount);
        startKey = list.startKey || undefined;
      } while (startKey !== undefined);
      return { ids, totals };
    }
  });
}

function sortOf(kind: Kind) {
  return fc.record({
    kind: fc.constant(kind),
    field: fc.constantFrom<string>(...factsOf(kind).sortable),
    direction: fc.constantFrom('asc', 'desc'),
  });
}

function keyOf(resource: NewResource, field: string): string {
  const column = sortColumn(resource.kind, field)!;
  return { ...sortKeys(resource.kind, resource.spec), id: resource.id, name: resource.name }[column];
}

function compare(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
