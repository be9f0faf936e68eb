/** What SQL lists and what the decision allows must be the same set: run against each engine. */

import type { RoleDocument } from '@gatehouse/contract/access/roles/role-document';
import { type Kind, kinds } from '@gatehouse/contract/kinds/kinds';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bindAccess } from '../../src/access/bind-access.ts';
import { compileRole } from '../../src/access/compile-role.ts';
import { decide } from '../../src/access/decide.ts';
import { createLabelSets } from '../../src/access/label-sets.ts';
import { visibility } from '../../src/access/visibility.ts';
import { askAboutLabels } from '../../src/inventory/label-set-store.ts';
import type { ListIndex } from '../../src/inventory/list-index/create-list-index.ts';
import { countResources, listResources } from '../../src/inventory/list-resources.ts';
import { type NewResource, putResources } from '../../src/inventory/resource-store.ts';
import type { Storage } from '../../src/platform/storage/storage.ts';
import * as random from '../access/random-roles.ts';
import { removeAll } from './remove-all.ts';

export function visibilitySuite(
  open: () => Pick<Storage, 'db'>,
  numRuns: number,
  index: () => Pick<ListIndex, 'find'> | undefined = () => undefined,
): void {
  let world = 0;

  const inventory = fc.array(fc.record({ kind: fc.constantFrom<Kind>('node', 'db'), labels: random.labels }), {
    maxLength: 12,
  });

  /** Conditions about names are what SQL has to work out for itself. */
  const denyingByName = fc
    .array(
      fc.constantFrom(
        'resource.metadata.name == "n1"',
        'resource.metadata.name != "n1"',
        'has_prefix(resource.metadata.name, "n1")',
        'has_prefix("n10", resource.metadata.name)',
        'contains(user.spec.traits["names"], resource.metadata.name)',
        'contains(resource.metadata.name, user.spec.traits["names"])',
        'equals(user.spec.traits["names"], resource.metadata.name)',
        'exists(resource.metadata.name) && resource.metadata.labels["env"] == "a"',
        'contains(resource.metadata.name, resource.metadata.name) && user.name == "bob"',
        '!(resource.metadata.name == "m" && resource.metadata.labels.env != "b")',
      ),
      { minLength: 1, maxLength: 2 },
    )
    .map(
      (conditions): RoleDocument => ({
        kind: 'role',
        version: 'v6',
        metadata: { name: 'by-name' },
        spec: {
          allow: { node_labels: { '*': ['*'] } },
          deny: { rules: conditions.map((where) => ({ resources: ['node'], verbs: ['list'], where })) },
        },
      }),
    );

  test('the list holds exactly what the decision lets be seen, on whatever order roles and resources came', async () => {
    const { db } = open();
    const sets = createLabelSets(db);
    const rolesFirst = fc.boolean();
    await fc.assert(
      fc.asyncProperty(
        random.roles,
        fc.option(denyingByName, { nil: undefined }),
        random.user,
        inventory,
        rolesFirst,
        async (documents, byName, user, given, rolesCameFirst) => {
          const cluster = `world-${world++}`;
          const roles = [...documents, ...(byName ? [byName] : [])].map(compileRole);
          const resources = given.map(({ kind, labels }, index): NewResource => resource(cluster, kind, index, labels));
          await db.transaction().execute(async (tx) => {
            await removeAll(tx);
            await tx.deleteFrom('label_key').execute();
            const ask = () =>
              askAboutLabels(
                tx,
                roles.flatMap(({ labelKeys }) => [...labelKeys]),
              );
            if (rolesCameFirst) await ask();
            await putResources(tx, resources, 0);
            if (!rolesCameFirst) await ask();
          });
          const access = bindAccess(roles, user);
          for (const kind of kinds) {
            const seen = visibility(access, kind, await sets.of(kind));
            const expected = resources
              .filter((each) => each.kind === kind && decide(access, { type: 'see', kind, resource: each }).allowed)
              .map(({ id }) => id)
              .sort();

            const listed = await listResources(db, seen, { cluster, kind, limit: 100, sort: 'name' }, index());

            expect(listed.items.map(({ id }) => id).sort()).toEqual(expected);
            expect(listed.totalCount).toBe(expected.length);
            expect(await countResources(db, seen, { cluster, kind })).toBe(expected.length);
          }
        },
      ),
      { numRuns },
    );
  });

  test('a resource whose labels change moves, and pages follow one another without gap or double', async () => {
    const { db } = open();
    const role = compileRole({
      kind: 'role',
      version: 'v6',
      metadata: { name: 'dev' },
      spec: { allow: { node_labels: { env: ['dev'] } } },
    });
    const access = bindAccess([role], { username: 'ann', traits: {} });
    const sets = createLabelSets(db);
    const put = (...resources: NewResource[]) =>
      db.transaction().execute(async (tx) => {
        await askAboutLabels(tx, role.labelKeys);
        await putResources(tx, resources, 0);
      });
    const list = async (startKey?: string) =>
      listResources(
        db,
        visibility(access, 'node', await sets.of('node')),
        { cluster: 'pages', kind: 'node', limit: 2, sort: 'hostname', startKey },
        index(),
      );
    await put(
      ...Array.from({ length: 5 }, (_, index) =>
        resource('pages', 'node', index, { env: index === 2 ? 'prod' : 'dev' }),
      ),
    );

    const first = await list();
    const second = await list(first.startKey);
    await put(resource('pages', 'node', 0, { env: 'prod' }), resource('pages', 'node', 2, { env: 'dev', os: 'x' }));
    const later = await list();

    expect(first.items.map(({ id }) => id)).toEqual(['id0', 'id1']);
    expect(second.items.map(({ id }) => id)).toEqual(['id3', 'id4']);
    expect([first.totalCount, second.startKey]).toEqual([4, '']);
    expect(later.items.map(({ id }) => id)).toEqual(['id1', 'id2']);
  });
}

const NAMES = ['n1', 'n2', 'n10', 'm', 'n1'];

function resource(cluster: string, kind: Kind, index: number, labels: Record<string, string>): NewResource {
  return {
    cluster,
    kind,
    id: `id${index}`,
    name: cluster === 'pages' ? `name${index}` : NAMES[index % NAMES.length]!,
    labels,
    spec: {},
    owner: 'agent',
    expires: undefined,
    searchWords: [],
  };
}
