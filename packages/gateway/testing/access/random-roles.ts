/** Random users, roles and resources out of a small world, so that they meet often. */

import type { RoleConditions } from '@gatehouse/contract/access/roles/role-conditions';
import { type RoleDocument, roleDocument } from '@gatehouse/contract/access/roles/role-document';
import type { PrincipalField } from '@gatehouse/contract/access/roles/vocabulary';
import type { Principal } from '@gatehouse/contract/kinds/kind';
import { type Kind, type KindLabels, kinds, rows } from '@gatehouse/contract/kinds/kinds';
import fc from 'fast-check';
import type { Action, ReachedResource } from '../../src/access/action.ts';
import type { Traits } from '../../src/access/match/template.ts';

export interface RandomUser {
  username: string;
  traits: Traits;
}

const LABEL_KEYS = ['env', 'team', 'constructor'];
const LABEL_VALUES = ['a', 'b', 'ab', 'B', '*'];
const LOGINS = ['root', 'ann', 'ROOT'];

const labelPattern = fc.constantFrom(
  'a',
  'b',
  'a*',
  '*',
  '*b',
  '^a.?$',
  '^[ab]$',
  '{{external.team}}',
  'x{{external.team}}',
);
const selector = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.dictionary(fc.constantFrom(...LABEL_KEYS), fc.array(labelPattern, { maxLength: 2 }), {
      minKeys: 1,
      maxKeys: 2,
    }),
  },
  { weight: 2, arbitrary: fc.constant({ '*': ['*'] }) },
);
const login = fc.constantFrom(...LOGINS, '{{internal.logins}}', '{{email.local(external.email)}}', 'r*', '*');
const logins = fc.uniqueArray(login, { minLength: 1, maxLength: 4 });

const where = fc.constantFrom(
  undefined,
  undefined,
  'contains(session.participants, user.metadata.name)',
  'equals(resource.metadata.labels["env"], "a")',
  '!equals(resource.metadata.labels["env"], "a")',
  'contains(user.spec.traits["team"], resource.metadata.labels["team"])',
  'has_prefix(resource.metadata.name, "n1")',
  '!(resource.metadata.name == "n1" || resource.metadata.name == "n2") && user.metadata.name != "bob"',
  'contains(user.spec.traits["names"], resource.metadata.name)',
  'contains(user.roles, "r1")',
  'exists(resource.metadata.labels["team"]) || user.metadata.name == "ann"',
);
const rule = fc.record({
  resources: fc.uniqueArray(fc.constantFrom('node', 'db_server', 'user', 'session', 'ssh_session', '*'), {
    minLength: 1,
    maxLength: 2,
  }),
  verbs: fc.uniqueArray(fc.constantFrom('list', 'read', 'update', '*'), { minLength: 1, maxLength: 2 }),
  where,
});
/** What their sessions are called where people may join them. */
const joinable = rows.flatMap((row) => (row.joinable ? [row.sessionKind] : []));
const join = fc.record({
  name: fc.constant('join'),
  roles: fc.uniqueArray(fc.constantFrom('r1', 'r*', 'x'), { maxLength: 2 }),
  kinds: fc.uniqueArray(fc.constantFrom(...joinable, '*'), { maxLength: 2 }),
  modes: fc.uniqueArray(fc.constantFrom('peer', 'observer', '*'), { maxLength: 2 }),
});

const objectVerbs = fc.constantFrom(undefined, undefined, ['*'], ['get', 'exec'], ['list']);
const lying = { namespace: fc.constantFrom('a', '*'), name: fc.constantFrom('x', 'x*', '*') };
/** Entries as each version of roles writes them. */
const OBJECTS: Readonly<Record<string, fc.Arbitrary<object>>> = {
  v5: fc.record({ kind: fc.constant('pod'), ...lying, verbs: objectVerbs }),
  v6: fc.record({ kind: fc.constant('pod'), ...lying, verbs: objectVerbs }),
  v7: fc.oneof(
    fc.record({ kind: fc.constantFrom('pod', 'deployment', '*'), ...lying, verbs: objectVerbs }),
    fc.record({ kind: fc.constantFrom('namespace', 'kube_node'), name: lying.name, verbs: objectVerbs }),
  ),
  v8: fc.oneof(
    fc.record({ kind: fc.constant('pods'), ...lying, verbs: objectVerbs }),
    fc.record({ kind: fc.constantFrom('deployments', 'widgets'), api_group: fc.constantFrom('apps', '*'), ...lying }),
    fc.record({ kind: fc.constant('*'), api_group: fc.constantFrom('*', 'apps', ''), ...lying, verbs: objectVerbs }),
    fc.record({ kind: fc.constantFrom('nodes', 'namespaces'), name: lying.name, verbs: objectVerbs }),
  ),
};
/** Labels and names of every kind there is. The kinds whose sessions are had most are told of in every role. */
const ofKinds = Object.assign(
  {},
  ...rows.map(({ labels, principals }) => ({
    [labels]: selector,
    ...Object.fromEntries(principals.map(({ field }) => [field, logins])),
  })),
) as Record<KindLabels | PrincipalField, fc.Arbitrary<unknown>>;

const conditionsOf = (version: string) =>
  fc.record(
    {
      ...ofKinds,
      kubernetes_resources: fc.array(OBJECTS[version]!, { maxLength: 2 }),
      rules: fc.array(rule, { maxLength: 2 }),
      join_sessions: fc.array(join, { maxLength: 1 }),
    },
    { requiredKeys: ['logins', 'node_labels', 'db_labels', 'db_users', 'kubernetes_labels', 'rules', 'join_sessions'] },
  );

export const roleNamed = (name: string): fc.Arbitrary<RoleDocument> =>
  fc
    .constantFrom(...Object.keys(OBJECTS))
    .chain((version) =>
      fc.record({
        version: fc.constant(version),
        allow: conditionsOf(version),
        deny: fc.oneof(fc.constant({}), conditionsOf(version)),
        deny2: fc.boolean(),
      }),
    )
    .map(({ version, allow, deny, deny2 }) =>
      roleDocument.parse(
        JSON.parse(
          JSON.stringify({
            kind: 'role',
            version,
            metadata: { name },
            spec: { allow, deny: deny2 ? sparse(deny) : {} },
          }),
        ),
      ),
    );

/** With every field denied at once nothing would ever be allowed. */
function sparse(deny: object): Partial<RoleConditions> {
  const entries = Object.entries(deny);
  return Object.fromEntries(entries.filter((_, index) => index % 3 === entries.length % 3));
}

export const roles: fc.Arbitrary<RoleDocument[]> = fc
  .integer({ min: 0, max: 3 })
  .chain((count) => fc.tuple(...Array.from({ length: count }, (_, index) => roleNamed(`r${index}`))));

export const user: fc.Arbitrary<RandomUser> = fc.record({
  username: fc.constantFrom('ann', 'bob'),
  traits: fc.record(
    {
      logins: fc.uniqueArray(fc.constantFrom(...LOGINS), { maxLength: 2 }),
      team: fc.uniqueArray(fc.constantFrom(...LABEL_VALUES), { maxLength: 2 }),
      email: fc.uniqueArray(fc.constantFrom('ann@example.org', 'bob@example.org'), { maxLength: 1 }),
      names: fc.uniqueArray(fc.constantFrom('n1', 'n2'), { maxLength: 2 }),
    },
    { requiredKeys: [] },
  ),
});

export const labels: fc.Arbitrary<Record<string, string>> = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...LABEL_KEYS), fc.constantFrom(...LABEL_VALUES)), {
    selector: ([key]) => key,
    maxLength: 3,
  })
  .map((pairs) => Object.fromEntries(pairs));

export const resource: fc.Arbitrary<ReachedResource> = fc.record({
  name: fc.constantFrom('n1', 'n2', 'n10', 'm'),
  labels,
});

const kind: fc.Arbitrary<Kind> = fc.constantFrom(...kinds);
const name = fc.constantFrom(...LOGINS);
const object = fc
  .tuple(
    fc.constantFrom(
      { apiGroup: '', resource: 'pods', namespace: 'a' },
      { apiGroup: '', resource: 'pods', namespace: 'b' },
      { apiGroup: 'apps', resource: 'deployments', namespace: 'a' },
      { apiGroup: 'extensions', resource: 'deployments', namespace: 'b' },
      { apiGroup: 'example.com', resource: 'widgets', namespace: 'a' },
      { apiGroup: '', resource: 'nodes', namespace: '' },
      { apiGroup: '', resource: 'namespaces', namespace: '' },
    ),
    fc.constantFrom('x', 'y', 'a'),
    fc.constantFrom('get', 'list', 'exec', 'delete'),
  )
  .map(([kind, name, verb]) => ({ ...kind, name, verb }));

/** What it takes to connect, as the row says it. */
function namesFor({ many, required }: Principal): fc.Arbitrary<unknown> {
  if (many) return fc.uniqueArray(name, { maxLength: 2 });
  return required ? name : fc.option(name, { nil: undefined });
}

const connects = rows.map(
  (row) =>
    fc.record({
      type: fc.constant('connect' as const),
      kind: fc.constant(row.kind),
      resource,
      ...Object.fromEntries(row.principals.map((principal) => [principal.name, namesFor(principal)])),
      ...(row.hasObjects ? { object: fc.option(object, { nil: undefined }) } : {}),
      ...(row.ignoresCase === 'asked' ? { ignoresCase: fc.boolean() } : {}),
    }) as unknown as fc.Arbitrary<Action>,
);

export const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ type: fc.constant('see' as const), kind, resource }),
  ...connects,
  fc.record({
    type: fc.constant('verb' as const),
    resource: fc.constantFrom('node', 'user', 'session', 'role'),
    verb: fc.constantFrom('list' as const, 'read' as const, 'update' as const),
    object: fc.record({
      name: fc.constantFrom('n1', 'n2', 'm'),
      labels,
      session: fc.record({
        kind: fc.constant('ssh'),
        user: fc.constantFrom('ann', 'bob'),
        participants: fc.uniqueArray(fc.constantFrom('ann', 'bob', 'eve'), { maxLength: 2 }),
      }),
    }),
  }),
  fc.record({
    type: fc.constant('join' as const),
    session: fc.record({
      kind: fc.constantFrom(...joinable),
      ownerRoles: fc.uniqueArray(fc.constantFrom('r1', 'r2', 'x'), { minLength: 1, maxLength: 2 }),
    }),
    mode: fc.constantFrom('peer', 'observer'),
  }),
);
