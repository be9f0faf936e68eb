import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bindAccess } from '../../access/bind-access.ts';
import { compileRole } from '../../access/compile-role.ts';
import { decide } from '../../access/decide.ts';
import { parseRole } from '../../access/document/role-document.ts';
import { readKubeRequest } from './engine/kube-request.ts';
import { decideObjects, objectRules } from './object-rules.ts';

const CLUSTER = { name: 'prod', labels: { env: 'prod' } };
type Entry = Record<string, unknown>;

function roleOf(name: string, version: string, allow: Entry[] | undefined, deny: Entry[] = []) {
  const spec = {
    allow: {
      kubernetes_labels: { env: 'prod' },
      kubernetes_groups: [name],
      ...(allow ? { kubernetes_resources: allow } : {}),
    },
    deny: { kubernetes_resources: deny },
  };
  return compileRole(parseRole(JSON.stringify({ kind: 'role', version, metadata: { name }, spec })).document);
}
const accessOf = (...roles: ReturnType<typeof roleOf>[]) => bindAccess(roles, { username: 'ann', traits: {} });

function ask(access: ReturnType<typeof accessOf>, line: string) {
  const [method = '', target = ''] = line.split(' ');
  return decideObjects(access, CLUSTER, readKubeRequest(method, target));
}
const covers = (access: ReturnType<typeof accessOf>, line: string) => ask(access, line).covers;
const v8 = (allow: Entry[], deny: Entry[] = []) => accessOf(roleOf('dev', 'v8', allow, deny));

const NS = '/api/v1/namespaces';
const PODS = { kind: 'pods', namespace: 'dev', name: 'web-*' };

describe('one object', () => {
  const access = v8(
    [
      PODS,
      { kind: 'deployments', api_group: 'apps', namespace: '*', name: '*', verbs: ['get', 'list'] },
      { kind: 'nodes', name: 'n1' },
    ],
    [{ kind: 'pods', namespace: 'dev', name: 'web-secret', verbs: ['exec', 'portforward'] }],
  );
  test.each([
    [`GET ${NS}/dev/pods/web-1`, 'all'],
    [`GET ${NS}/dev/pods/web-1/log`, 'all'],
    [`POST ${NS}/dev/pods/web-1/exec`, 'all'],
    [`PATCH ${NS}/dev/pods/web-1`, 'all'],
    [`GET ${NS}/dev/pods/db-1`, 'none'],
    [`GET ${NS}/prod/pods/web-1`, 'none'],
    [`GET ${NS}/dev/pods/web-secret`, 'all'],
    [`POST ${NS}/dev/pods/web-secret/exec`, 'none'],
    [`POST ${NS}/dev/pods/web-secret/attach`, 'none'],
    [`PATCH ${NS}/dev/pods/web-secret/ephemeralcontainers`, 'none'],
    [`GET ${NS}/dev/pods/web-secret:8080/proxy/`, 'none'],
    [`GET ${NS}/dev/pods/https:web-secret:8080/proxy/`, 'none'],
    ['GET /apis/apps/v1/namespaces/x/deployments/api', 'all'],
    ['PATCH /apis/apps/v1/namespaces/x/deployments/api', 'none'],
    // The same object by its old group.
    ['GET /apis/extensions/v1beta1/namespaces/x/deployments/api', 'all'],
    ['DELETE /apis/extensions/v1beta1/namespaces/x/deployments/api', 'none'],
    ['GET /apis/example.com/v1/namespaces/x/deployments/api', 'none'],
    ['GET /api/v1/nodes/n1', 'all'],
    ['GET /api/v1/nodes/n1/proxy/pods', 'all'],
    ['GET /api/v1/nodes/n2/proxy/pods', 'none'],
    [`GET ${NS}/dev/secrets/token`, 'none'],
    [`GET ${NS}/dev`, 'none'],
    ['GET /version', 'all'],
    ['GET /openapi/v2', 'all'],
    ['POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews', 'all'],
    ['POST /apis/authorization.k8s.io/v1/subjectaccessreviews', 'none'],
  ])('%s: %s', (line, expected) => {
    expect(covers(access, line)).toBe(expected);
  });

  test('a refusal names the rule and the role', () => {
    expect(ask(access, `POST ${NS}/dev/pods/web-secret/exec`)).toEqual({
      covers: 'none',
      why: "role 'dev' denies it by spec.deny.kubernetes_resources[0]",
    });
    expect(ask(access, `GET ${NS}/dev/secrets/token`)).toEqual({
      covers: 'none',
      why: "no entry of kubernetes_resources in your roles 'dev' allows it",
    });
  });
});

describe('collections', () => {
  const part = v8([PODS]);
  const whole = v8([{ kind: 'pods', namespace: 'dev', name: '*' }]);
  const every = v8([{ kind: '*', api_group: '*', namespace: '*', name: '*' }]);
  const but = v8(
    [{ kind: '*', api_group: '*', namespace: '*', name: '*' }],
    [{ kind: 'secrets', namespace: 'kube-*', name: '*' }],
  );
  test.each([
    [part, `GET ${NS}/dev/pods`, 'some'],
    [part, `GET ${NS}/dev/pods?watch=1`, 'some'],
    [part, 'GET /api/v1/pods', 'some'],
    [part, `GET ${NS}/prod/pods`, 'none'],
    [part, `DELETE ${NS}/dev/pods`, 'none'],
    [part, `POST ${NS}/dev/pods`, 'named'],
    [part, `GET ${NS}/dev/pods?fieldSelector=metadata.name=web-1`, 'some'],
    [part, `GET ${NS}/dev/pods?watch=1&fieldSelector=metadata.name=db-1`, 'none'],
    [part, 'GET /apis/metrics.k8s.io/v1beta1/namespaces/dev/pods', 'some'],
    [whole, `GET ${NS}/dev/pods`, 'all'],
    [whole, `DELETE ${NS}/dev/pods`, 'all'],
    [whole, `POST ${NS}/dev/pods`, 'all'],
    [whole, 'GET /api/v1/pods', 'some'],
    [whole, 'DELETE /api/v1/pods', 'none'],
    [whole, 'GET /api/v1/nodes', 'none'],
    [every, 'GET /api/v1/pods', 'all'],
    [every, 'GET /api/v1/nodes', 'all'],
    [every, 'GET /apis/example.com/v1/widgets', 'all'],
    [but, 'GET /api/v1/secrets', 'some'],
    [but, `GET ${NS}/dev/secrets`, 'all'],
    [but, `GET ${NS}/kube-system/secrets`, 'none'],
    [but, `DELETE ${NS}/kube-system/secrets`, 'none'],
    [but, 'GET /api/v1/configmaps', 'all'],
  ])('%#: %s %s', (access, line, expected) => {
    expect(covers(access, line)).toBe(expected);
  });

  test('a filter agrees with what would be decided of each object', () => {
    const verdict = ask(but, 'GET /api/v1/secrets');

    expect(
      verdict.covers === 'some' && [
        verdict.allows('dev', 'x'),
        verdict.allows('kube-system', 'x'),
        verdict.allows('', 'x'),
      ],
    ).toEqual([true, false, true]);
  });

  test('of what is made, the name decides', () => {
    const verdict = ask(part, `POST ${NS}/dev/pods`);

    expect(verdict.covers === 'named' && [verdict.allows('web-9'), verdict.allows('db')]).toEqual([true, false]);
  });
});

test('names come from the roles that allow the objects, and not from others', () => {
  const access = accessOf(
    roleOf('dev', 'v8', [PODS]),
    roleOf('ops', 'v8', [{ kind: 'nodes', name: '*' }]),
    roleOf('all', 'v8', [{ kind: 'pods', namespace: '*', name: '*' }]),
  );

  expect(ask(access, `GET ${NS}/dev/pods/web-1`)).toEqual({ covers: 'all', roles: ['all', 'dev'], isParted: false });
  expect(ask(access, `GET ${NS}/dev/pods/db`)).toEqual({ covers: 'all', roles: ['all'], isParted: false });
  expect(ask(access, 'GET /api/v1/nodes/n1')).toEqual({ covers: 'all', roles: ['ops'], isParted: false });
});

test('of a collection they come from roles that allow all of it, or are those of parts', () => {
  const access = accessOf(
    roleOf('web', 'v8', [PODS]),
    roleOf('db', 'v8', [{ kind: 'pods', namespace: 'dev', name: 'db-*' }]),
    roleOf('all', 'v8', [{ kind: 'pods', namespace: 'prod', name: '*' }]),
  );
  const list = readKubeRequest('GET', `${NS}/dev/pods`);

  expect(ask(access, `GET ${NS}/dev/pods`)).toMatchObject({ covers: 'some', roles: ['db', 'web'], isParted: true });
  expect(ask(access, `POST ${NS}/dev/pods`)).toMatchObject({ covers: 'named', roles: ['db', 'web'], isParted: true });
  const asked = decideObjects(access, CLUSTER, list, (role) => role === 'web');
  expect(asked).toMatchObject({ covers: 'some', roles: ['web'], isParted: false });
  expect(asked.covers === 'some' && [asked.allows('dev', 'web-1'), asked.allows('dev', 'db-1')]).toEqual([true, false]);
  const wide = accessOf(
    roleOf('web', 'v8', [PODS]),
    roleOf('all', 'v8', [{ kind: '*', api_group: '*', namespace: '*', name: '*' }]),
  );
  expect(ask(wide, `DELETE ${NS}/dev/pods`)).toEqual({ covers: 'all', roles: ['all'], isParted: false });
});

test('a role that names nobody to be there does not take the part away that another gives', () => {
  const bare = compileRole(
    parseRole(
      JSON.stringify({
        ...{ kind: 'role', version: 'v8', metadata: { name: 'access' } },
        spec: { allow: { kubernetes_labels: { '*': '*' }, kubernetes_groups: ['{{internal.kubernetes_groups}}'] } },
      }),
    ).document,
  );
  const access = accessOf(bare, roleOf('web', 'v8', [PODS]));
  const part = { roles: ['web'], isParted: false };

  expect(ask(access, `GET ${NS}/dev/pods`)).toMatchObject({ covers: 'some', ...part });
  expect(ask(access, `GET ${NS}/dev/pods?watch=1`)).toMatchObject({ covers: 'some', ...part });
  expect(ask(access, `POST ${NS}/dev/pods`)).toMatchObject({ covers: 'named', ...part });
  // Where no other role gives anything of it, and where nothing but all of it will do, it counts.
  const alone = { covers: 'all', roles: ['access'], isParted: false };
  expect(ask(access, `GET ${NS}/prod/pods`)).toEqual(alone);
  expect(ask(access, `DELETE ${NS}/dev/pods`)).toEqual(alone);
  // Whoever asks to be who they are anyway has it as before.
  const list = readKubeRequest('GET', `${NS}/dev/pods`);
  expect(decideObjects(access, CLUSTER, list, () => true)).toEqual(alone);
});

describe('each version of roles in its own words', () => {
  const pods = [{ kind: 'pod', namespace: 'dev', name: '*' }];
  test.each([
    // Without a word: before v6 everything, in v6 no pods, later everything.
    ['v5', undefined, `GET ${NS}/dev/pods/x`, 'all'],
    ['v6', undefined, `GET ${NS}/dev/pods/x`, 'none'],
    ['v6', undefined, `GET ${NS}/dev/secrets/x`, 'all'],
    ['v7', undefined, `GET ${NS}/dev/pods/x`, 'all'],
    ['v8', undefined, `GET ${NS}/dev/pods/x`, 'all'],
    // Before v7 pods are meant, and the rest is left to the cluster.
    ['v5', pods, `GET ${NS}/dev/pods/x`, 'all'],
    ['v5', pods, `GET ${NS}/prod/pods/x`, 'none'],
    ['v5', pods, `GET ${NS}/prod/secrets/x`, 'all'],
    ['v6', pods, `GET ${NS}/prod/pods/x`, 'none'],
    ['v6', pods, 'GET /api/v1/pods', 'some'],
    ['v6', pods, 'GET /apis/metrics.k8s.io/v1beta1/pods', 'some'],
    ['v6', pods, 'GET /api/v1/nodes', 'all'],
    ['v6', pods, 'GET /apis/example.com/v1/widgets', 'all'],
    // From v7 on what is not named is not given.
    ['v7', pods, `GET ${NS}/dev/pods/x`, 'all'],
    ['v7', pods, `GET ${NS}/dev/secrets/x`, 'none'],
    ['v7', [], `GET ${NS}/dev/pods/x`, 'none'],
    ['v7', [{ kind: 'namespace', name: 'dev' }], `GET ${NS}/dev`, 'all'],
    ['v7', [{ kind: 'namespace', name: 'dev' }], `GET ${NS}/dev/secrets`, 'all'],
    ['v7', [{ kind: 'namespace', name: 'dev' }], 'GET /apis/example.com/v1/namespaces/dev/widgets', 'all'],
    ['v7', [{ kind: 'namespace', name: 'dev' }], `GET ${NS}/prod/secrets`, 'none'],
    ['v7', [{ kind: 'namespace', name: 'dev' }], `GET ${NS}`, 'some'],
    // Every namespace, and not what lies in none.
    ['v7', [{ kind: 'namespace', name: '*' }], `GET ${NS}/dev/secrets`, 'all'],
    ['v7', [{ kind: 'namespace', name: '*' }], `GET ${NS}/dev`, 'all'],
    ['v7', [{ kind: 'namespace', name: '*' }], 'GET /api/v1/secrets', 'some'],
    ['v7', [{ kind: 'namespace', name: '*' }], 'GET /api/v1/nodes/n1/proxy/pods', 'none'],
    ['v7', [{ kind: 'namespace', name: '*' }], 'POST /apis/rbac.authorization.k8s.io/v1/clusterrolebindings', 'named'],
    ['v7', [{ kind: 'kube_node', name: '*' }], 'GET /api/v1/nodes', 'all'],
    [
      'v7',
      [{ kind: 'kube_role', namespace: 'dev', name: '*' }],
      'GET /apis/rbac.authorization.k8s.io/v1/namespaces/dev/roles/x',
      'all',
    ],
    ['v7', [{ kind: '*', namespace: '*', name: '*' }], 'GET /apis/example.com/v1/widgets', 'all'],
    ['v8', [{ kind: 'namespaces', name: 'dev' }], `GET ${NS}/dev/secrets`, 'none'],
    ['v8', [{ kind: 'widgets', api_group: 'example.com', name: '*' }], 'GET /apis/example.com/v1/widgets/one', 'all'],
    // Without a namespace: what lies in none.
    [
      'v8',
      [{ kind: 'widgets', api_group: 'example.com', name: '*' }],
      'GET /apis/example.com/v1/namespaces/dev/widgets/one',
      'none',
    ],
    [
      'v8',
      [{ kind: 'widgets', api_group: '*.com', namespace: '*', name: '*' }],
      'GET /apis/example.com/v1/namespaces/dev/widgets/one',
      'all',
    ],
  ])('%s %j: %s: %s', (version, entries, line, expected) => {
    expect(covers(accessOf(roleOf('r', version, entries)), line)).toBe(expected);
  });

  test('every namespace of v7 gives nothing that lies in none, and denies that too', () => {
    const entries = [{ kind: 'namespace', name: '*' }];
    const binding = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
    const made = ask(accessOf(roleOf('r', 'v7', entries)), `POST ${binding}`);
    expect(made.covers === 'named' && made.allows('mine')).toBe(false);
    const listed = ask(accessOf(roleOf('r', 'v7', entries)), `GET ${binding}`);
    expect(listed.covers === 'some' && [listed.allows('', 'admin'), listed.allows('dev', 'x')]).toEqual([false, true]);
    expect(covers(accessOf(roleOf('r', 'v7', undefined, entries)), 'GET /api/v1/nodes/n1')).toBe('none');
  });

  test('under deny, leaving the namespace out means all of them', () => {
    const access = accessOf(
      roleOf('r', 'v8', undefined, [{ kind: 'widgets', api_group: 'example.com', name: '*', verbs: ['delete'] }]),
    );

    expect(covers(access, 'DELETE /apis/example.com/v1/namespaces/dev/widgets/one')).toBe('none');
    expect(covers(access, 'DELETE /apis/example.com/v1/widgets/one')).toBe('none');
    expect(covers(access, 'GET /apis/example.com/v1/widgets')).toBe('all');
  });
});

test('whatever the entries: a collection says of each object what is decided of it alone', () => {
  const word = fc.constantFrom('dev', 'prod', 'd*', '*');
  const verbs = fc.constantFrom(undefined, ['list'], ['get', 'list', 'watch'], ['*']);
  const entries = fc.array(fc.record({ kind: fc.constant('pods'), namespace: word, name: word, verbs }), {
    maxLength: 3,
  });
  let filtered = 0;
  fc.assert(
    fc.property(entries, entries, fc.constantFrom('', 'dev', 'prod'), (allow, deny, namespace) => {
      const access = accessOf(roleOf('r', 'v8', JSON.parse(JSON.stringify(allow)), JSON.parse(JSON.stringify(deny))));
      const path = namespace === '' ? '/api/v1/pods' : `${NS}/${namespace}/pods`;
      const verdict = ask(access, `GET ${path}`);
      if (verdict.covers === 'some') filtered += 1;
      for (const where of namespace === '' ? ['dev', 'prod', 'x'] : [namespace]) {
        for (const name of ['dev', 'prod', 'web']) {
          const alone = decide(access, {
            ...{ type: 'connect', kind: 'kube', resource: CLUSTER, groups: [] },
            object: { apiGroup: '', resource: 'pods', namespace: where, name, verb: 'list' },
          }).allowed;
          const passes = verdict.covers === 'all' || (verdict.covers === 'some' && verdict.allows(where, name));
          expect(passes).toBe(alone);
        }
      }
    }),
    { numRuns: 500, seed: 20 },
  );
  expect(filtered).toBeGreaterThan(50);
});

test('locks, tokens and labels come first, and whoever owns the machine is not asked', () => {
  const access = accessOf(roleOf('r', 'v8', undefined));
  const request = readKubeRequest('GET', '/api/v1/pods');
  const asked = (allowed: boolean, isOwner = false) =>
    objectRules(
      { decide: () => ({ allowed, cited: [] }), of: () => access },
      { isOwner } as Parameters<typeof objectRules>[1],
      CLUSTER,
    ).decide(request);

  expect(asked(true)).toEqual({ covers: 'all', roles: ['r'], isParted: false });
  expect(asked(false)).toEqual({ covers: 'none', why: 'none of your roles reaches this cluster' });
  expect(asked(false, true)).toEqual({ covers: 'all', roles: [], isParted: false });
  expect(decideObjects(access, { name: 'other', labels: {} }, request).covers).toBe('none');
});
