import type { AffectedName } from '@gatehouse/contract/access/explain/what-if';
import type { RoleDocument } from '@gatehouse/contract/access/roles/role-document';
import { type Kind, kinds } from '@gatehouse/contract/kinds/kinds';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as random from '../../../testing/access/random-roles.ts';
import type { Action, Connect } from '../../access/action.ts';
import { type Access, bindAccess } from '../../access/bind-access.ts';
import { compileRole } from '../../access/compile-role.ts';
import { decide } from '../../access/decide.ts';
import { parsePattern } from '../../access/match/pattern.ts';
import type { ResourceGroup } from './match-groups.ts';
import { type AffectedUser, effectsOn } from './what-if.ts';

const NAMES = ['root', 'ann', 'ROOT', 'bob', 'r', 'zed'];
const DATABASES = ['one', 'two', 'three'];

type Claim = [field: string, name: string, database?: string];

/** Everything that could be asked for on a resource of a kind, in a small world. */
const QUESTIONS: Record<Kind, readonly { claim: Claim; ask(labels: Record<string, string>): Connect }[]> = {
  node: NAMES.map((login) => ({
    claim: ['logins', login],
    ask: (labels) => ({ type: 'connect', kind: 'node', resource: { name: 'x', labels }, login }),
  })),
  desktop: NAMES.map((login) => ({
    claim: ['windows_desktop_logins', login],
    ask: (labels) => ({ type: 'connect', kind: 'desktop', resource: { name: 'x', labels }, login }),
  })),
  db: NAMES.flatMap((dbUser) => [
    {
      claim: ['db_users', dbUser] as Claim,
      ask: (labels) => ({ type: 'connect', kind: 'db', resource: { name: 'x', labels }, dbUser }),
    },
    ...DATABASES.map((dbName) => ({
      claim: ['db_names', dbName, dbUser] as Claim,
      ask: (labels: Record<string, string>): Connect => ({
        type: 'connect',
        kind: 'db',
        resource: { name: 'x', labels },
        dbUser,
        dbName,
      }),
    })),
  ]),
  kube: [
    {
      claim: ['connect', ''],
      ask: (labels) => ({ type: 'connect', kind: 'kube', resource: { name: 'x', labels }, groups: [] }),
    },
    ...NAMES.flatMap((name) => [
      {
        claim: ['kubernetes_users', name] as Claim,
        ask: (labels: Record<string, string>): Connect => ({
          type: 'connect',
          kind: 'kube',
          resource: { name: 'x', labels },
          user: name,
          groups: [],
        }),
      },
      {
        claim: ['kubernetes_groups', name] as Claim,
        ask: (labels: Record<string, string>): Connect => ({
          type: 'connect',
          kind: 'kube',
          resource: { name: 'x', labels },
          groups: [name],
        }),
      },
    ]),
  ],
  app: [
    { claim: ['connect', ''], ask: (labels) => ({ type: 'connect', kind: 'app', resource: { name: 'x', labels } }) },
  ],
};

const world = fc.record({
  others: random.roles,
  before: fc.option(random.roleNamed('draft'), { nil: undefined }),
  after: fc.option(random.roleNamed('draft'), { nil: undefined }),
  people: fc.array(random.user, { minLength: 1, maxLength: 4 }),
  inventory: fc.array(random.labels, { maxLength: 8 }),
});

test('what is said to be gained and lost is exactly what every single decision says', () => {
  fc.assert(
    fc.property(world, ({ others, before, after, people, inventory }) => {
      const compile = (draft: RoleDocument | undefined) => [...others, ...(draft ? [draft] : [])].map(compileRole);
      const [was, becomes] = [compile(before), compile(after)];
      const users = people.map(
        (person, index): AffectedUser => ({
          user: `u${index}`,
          before: bindAccess(was, person),
          after: bindAccess(becomes, person),
        }),
      );
      const groups: ResourceGroup[] = inventory.map((labels, index) => ({
        labels,
        resources: [{ id: `id${index}`, name: `n${index}` }],
      }));
      for (const kind of kinds) {
        const { effects, extent, resourcesIn } = effectsOn(kind, groups, users);
        const touched = { gained: new Set<number>(), lost: new Set<number>() };
        const affected = { gained: new Set<string>(), lost: new Set<string>() };
        for (const user of users) {
          for (const [index, { labels }] of groups.entries()) {
            const effect = effects.find(
              (each) => each.user === user.user && [...resourcesIn(each)].some(({ id }) => id === `id${index}`),
            );
            for (const { claim, ask } of QUESTIONS[kind]) {
              const [held, will] = [may(user.before, ask(labels)), may(user.after, ask(labels))];
              check(effect?.gained ?? [], claim, will && !held);
              check(effect?.lost ?? [], claim, held && !will);
            }
            for (const way of ['gained', 'lost'] as const) {
              if (!effect || effect[way].length === 0) continue;
              touched[way].add(index);
              affected[way].add(user.user);
            }
          }
        }
        expect(extent.resources).toEqual({ gained: touched.gained.size, lost: touched.lost.size });
        expect(extent.users).toEqual({ gained: affected.gained.size, lost: affected.lost.size });
      }
    }),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? 200) },
  );
});

function may(access: Access, action: Action): boolean {
  return decide(access, action).allowed;
}

/** A name that is told is told rightly, and nothing that happens is left untold; patterns speak for all they match. */
function check(told: readonly AffectedName[], [field, name, user]: Claim, happens: boolean): void {
  const about = told.filter((said) => said.field === field && covers(said.with, user) && covers(said.name, name));
  const byName = about.some((said) => said.name === name && said.with === user);
  // Who gains or loses a database user does so with all its databases.
  const withUser = told.some((said) => user !== undefined && said.field === 'db_users' && covers(said.name, user));
  const right = happens ? about.length > 0 || withUser : !byName;
  if (!right) expect({ field, name, user, told, happens }).toEqual('told as it happens');
}

function covers(said: string | undefined, name: string | undefined): boolean {
  if (said === undefined || name === undefined) return said === name;
  return parsePattern(said).matches(name);
}
