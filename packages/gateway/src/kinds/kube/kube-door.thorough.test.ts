/** The door of programs to Kubernetes clusters: who is let in, what passes on, what is told to the log, and how what is open ends. */
import { setTimeout as sleep } from 'node:timers/promises';
import { KUBE_DOOR } from '@gatehouse/contract/kinds/kube/kube-pass';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { BrowsePage } from '../../../testing/kube/browse-page.ts';
import { type KubeWorld, startKubeWorld } from '../../../testing/kube/kube-world.ts';
import { makeTakeawayRoles, TAKEAWAY_NAMES, TAKEAWAYS } from '../../../testing/takeaways.ts';

let world: KubeWorld;
let pass: string;
const PODS = '/api/v1/namespaces/default/pods';
const EVERYTHING = "kubernetes_resources: [{kind: '*', api_group: '*', namespace: '*', name: '*', verbs: ['*']}]";

beforeAll(async () => {
  world = await startKubeWorld();
  await makeTakeawayRoles(world.admin);
  pass = await world.pass(world.ann);
});
afterAll(() => world.close());

const last = () => world.cluster.seen.at(-1)!;
const messageOf = (text: string) => (JSON.parse(text) as { message: string }).message;

test('a pass lets its person in, under their name and groups, with the id of the request', async () => {
  const answer = await world.send(pass, PODS);

  expect(answer.status).toBe(200);
  expect(JSON.parse(answer.text)).toMatchObject({ kind: 'PodList' });
  expect(last()).toMatchObject({ by: 'gateway', user: 'ann', groups: expect.arrayContaining(['edit']) });
  expect(last().auditId).toBe(answer.headers['x-request-id']);
});

test('without a good pass nobody is let in, and nothing is sent', async () => {
  const before = world.cluster.seen.length;
  const other = await world.person('eve', `kubernetes_labels: {env: dev}, kubernetes_groups: [view], ${EVERYTHING}`);
  const eve = await world.pass(other);

  const none = await world.send('', PODS);
  const wrong = await world.send('f'.repeat(64), PODS);
  const cookie = await world.send('', PODS, { headers: { cookie: 'session=x' } });
  const page = await world.send(eve, PODS, { headers: { origin: world.origin } });

  expect([none.status, wrong.status, cookie.status, page.status]).toEqual([401, 401, 401, 403]);
  expect(messageOf(none.text)).toContain('gatehouse kube login');
  expect(world.cluster.seen.length).toBe(before);
});

test('of what a cluster has, a refusal is a warning too, since clients read no more than its number', async () => {
  const refusedAt = async (path: string) => (await world.send('', path)).headers.warning;

  for (const path of ['/api', '/api?timeout=32s', '/apis', '/apis/apps/v1', '/version', '/openapi/v3/api/v1'])
    expect(await refusedAt(path), path).toMatch(/^299 - "no valid pass was shown: [^"]*"$/);
  for (const path of [PODS, '/api/v1/pods', '/apis/apps/v1/deployments'])
    expect(await refusedAt(path), path).toBe(undefined);
  expect((await world.send(pass, '/api')).headers.warning).toBe(undefined);
});

test('what says who somebody is comes from the gateway alone', async () => {
  await world.send(pass, PODS, {
    headers: {
      'x-remote-user': 'admin',
      'x-remote-group': 'system:masters',
      'x-forwarded-for': '10.0.0.1',
      'audit-id': 'mine',
      cookie: 'a=b',
      connection: 'x-hop',
      'x-hop': '1',
      'user-agent': 'kubectl/v1.32',
    },
  });
  const { headers } = last();
  expect(Object.keys(headers).filter((name) => /^(x-|cookie|forwarded)/.test(name))).toEqual([]);
  expect(headers['user-agent']).toEqual(['kubectl/v1.32']);
  expect(headers['audit-id']).not.toEqual(['mine']);

  const masters = await world.send(pass, PODS, {
    headers: { 'impersonate-user': 'ann', 'impersonate-group': 'system:masters' },
  });
  const underscored = await world.send(pass, PODS, { headers: { impersonate_user: 'admin' } });
  const extra = await world.send(pass, PODS, { headers: { 'impersonate-extra-x': '1' } });

  expect([masters.status, extra.status]).toEqual([403, 400]);
  expect(messageOf(masters.text)).toContain("'system:masters'");
  expect(underscored.status).toBe(200);
  expect(Object.keys(last().headers)).not.toContain('impersonate_user');
  expect(last().user).toBe('ann');
});

test.each([
  ['/api/v1/namespaces/default/../kube-system/secrets'],
  ['/api/v1/namespaces/default/%2e%2e/kube-system/secrets'],
  ['/api/v1/namespaces/default%2fsecrets'],
  ['/api/v1//namespaces/default/pods'],
  ['/metrics'],
  ['/debug/pprof/'],
  ['/logs/'],
])('%s is refused and not sent', async (target) => {
  const before = world.cluster.seen.length;

  const { status } = await world.send(pass, target);

  expect(status).toBe(400);
  expect(world.cluster.seen.length).toBe(before);
});

test('requests are told to the log with their answer, refused ones too, and what everybody may know is not', async () => {
  await world.send(pass, '/version');
  const { headers } = await world.send(pass, `${PODS}/nobody`);
  const refused = await world.send(pass, PODS, { headers: { 'impersonate-user': 'root' } });

  const events = await vi.waitFor(async () => {
    const found = (await world.gateway.events()).filter(({ code }) => code === 'T3009I').map(({ data }) => data);
    const codes = found.map(({ request_id }) => request_id);
    expect(codes).toEqual(expect.arrayContaining([headers['x-request-id'], refused.headers['x-request-id']]));
    return found;
  }, SOON_MS);
  const told = events.find(({ request_id }) => request_id === headers['x-request-id']);
  expect(told).toMatchObject({
    user: 'ann',
    verb: 'get',
    request_path: `${PODS}/nobody`,
    resource_namespace: 'default',
    resource_kind: 'pods',
    resource_name: 'nobody',
    response_code: 404,
    kubernetes_cluster: 'prod',
    kubernetes_users: ['ann'],
    kubernetes_groups: ['edit'],
  });
  expect(events.find(({ request_id }) => request_id === refused.headers['x-request-id'])).toMatchObject({
    response_code: 403,
  });
  expect(events.filter(({ request_path }) => request_path === '/version')).toEqual([]);
});

test('a pass is good for one cluster', async () => {
  const response = await fetch(`${world.origin}${KUBE_DOOR}other/version`, {
    headers: { authorization: `Bearer ${pass}` },
  });

  expect(response.status).toBe(401);
});

test('what is made is made as it was sent', async () => {
  const made = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'words' }, data: { a: 'x'.repeat(300_000) } };

  const answer = await world.send(pass, '/api/v1/namespaces/default/configmaps', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(made),
  });

  expect(answer.status).toBe(201);
  expect(world.cluster.get('v1', 'ConfigMap', 'default', 'words')).toMatchObject({ data: made.data });
});

test.each(TAKEAWAY_NAMES.filter((name) => name !== 'a moderator is asked for'))(
  'a watch ends with its reason when %s',
  async (takeaway) => {
    const name = `w${TAKEAWAY_NAMES.indexOf(takeaway)}`;
    const browser = await world.person(name, `kubernetes_labels: {env: dev}, kubernetes_groups: [view], ${EVERYTHING}`);
    const { response } = await world.open(await world.pass(browser), `${PODS}?watch=true`);
    expect(response.statusCode).toBe(200);
    let text = '';
    response.on('data', (piece: Buffer) => {
      text += piece.toString();
    });
    const over = new Promise<void>((resolve) => response.on('close', () => resolve()));

    const begun = performance.now();
    await TAKEAWAYS[takeaway](world.admin, name, [`role-${name}`]);
    await Promise.race([over, sleep(SOON_MS)]);

    expect(response.destroyed).toBe(true);
    expect(performance.now() - begun).toBeLessThan(SOON_MS);
    const lastLine = JSON.parse(text.trim().split('\n').at(-1) ?? '') as { type: string; object: { message: string } };
    expect(lastLine.type).toBe('ERROR');
    expect(lastLine.object.message).toMatch(/role|locked|sign|user|factor/);
  },
);

const configMap = (name: string, namespace: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
});
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

/** Sees the configuration maps that begin with `web-`, in one namespace. */
async function partly(name: string): Promise<string> {
  const rule =
    "{kind: configmaps, api_group: '', namespace: default, name: 'web-*', verbs: [get, list, watch, create]}";
  const allow = `kubernetes_labels: {env: dev}, kubernetes_groups: [edit], kubernetes_resources: [${rule}]`;
  return await world.pass(await world.person(name, allow));
}

test('of lists and tables only what roles let somebody see passes, in whatever form it is asked for', async () => {
  for (const name of ['web-1', 'web-2', 'db-1']) world.cluster.put(configMap(name, 'default'));
  const pat = await partly('pat');

  const list = JSON.parse((await world.send(pat, CONFIG_MAPS)).text) as {
    items: { metadata: { name: string } }[];
    metadata: object;
  };
  const table = JSON.parse((await world.send(pat, CONFIG_MAPS, { headers: { accept: TABLE } })).text) as {
    rows: { cells: string[] }[];
    columnDefinitions: unknown[];
  };
  const named = await world.send(pat, `${CONFIG_MAPS}/db-1`);
  const absent = await world.send(pat, `${CONFIG_MAPS}/db-none`);
  const protobuf = await world.send(pat, CONFIG_MAPS, { headers: { accept: 'application/vnd.kubernetes.protobuf' } });

  expect(list.items.map(({ metadata }) => metadata.name)).toEqual(['web-1', 'web-2']);
  expect(table.rows.map(({ cells }) => cells[0])).toEqual(['web-1', 'web-2']);
  expect(table.columnDefinitions.length).toBeGreaterThan(0);
  expect([named.status, absent.status, protobuf.status]).toEqual([403, 403, 406]);
  expect(
    messageOf(named.text)
      .replaceAll('db-1', 'db-none')
      .replace(/request .*/, ''),
  ).toBe(messageOf(absent.text).replace(/request .*/, ''));
  expect(messageOf(protobuf.text)).toContain('application/json');
});

test('of a watch likewise, and it ends when other roles are given', async () => {
  const pat = await partly('quinn');
  const { response } = await world.open(pat, `${CONFIG_MAPS}?watch=1`);
  let text = '';
  response.on('data', (piece: Buffer) => {
    text += piece.toString();
  });
  const names = () =>
    text
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { object: { metadata: { name: string } } }).object.metadata.name);
  world.cluster.put(configMap('db-2', 'default'));
  world.cluster.put(configMap('web-3', 'default'));
  await vi.waitFor(() => expect(names()).toContain('web-3'), SOON_MS);
  expect(names().filter((name) => name.startsWith('db'))).toEqual([]);

  await TAKEAWAYS['the role is taken away'](world.admin, 'quinn', []);
  await vi.waitFor(() => expect(response.destroyed).toBe(true), SOON_MS);
});

test('what is made has a name that roles allow, read from what is sent', async () => {
  const pass = await partly('rob');
  const make = (body: string, type = 'application/json') =>
    world.send(pass, CONFIG_MAPS, { method: 'POST', headers: { 'content-type': type }, body });

  const allowed = await make(JSON.stringify(configMap('web-9', 'default')));
  const other = await make(JSON.stringify(configMap('db-9', 'default')));
  const twice = await make(
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"db-8"},"metadata":{"name":"web-8"}}',
  );
  const left = await make('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"web-"}}');
  const yaml = await make('metadata: {name: web-7}', 'application/yaml');

  expect([allowed.status, other.status, twice.status, left.status, yaml.status]).toEqual([201, 403, 400, 403, 400]);
  expect(world.cluster.get('v1', 'ConfigMap', 'default', 'db-8')).toBeUndefined();
});

test('what passes recordings by is closed by port_forwarding, and where somebody is to watch', async () => {
  const allow = `kubernetes_labels: {env: dev}, kubernetes_groups: [edit], ${EVERYTHING}`;
  const closed = await world.pass(await world.person('sue', allow, '{port_forwarding: false}'));
  await TAKEAWAYS['a moderator is asked for'](world.admin, 'ann', ['role-ann']);
  const ways = [`${PODS}/x/proxy/`, '/api/v1/namespaces/default/services/x:80/proxy/', '/api/v1/nodes/n/proxy/exec'];
  const before = world.cluster.seen.length;

  for (const way of ways) {
    const [unforwarded, unwatched] = [await world.send(closed, way), await world.send(pass, way)];
    expect([unforwarded.status, unwatched.status]).toEqual([403, 403]);
    expect(messageOf(unforwarded.text)).toContain('forwarded');
    expect(messageOf(unwatched.text)).toContain('moderator');
  }
  expect(world.cluster.seen.length).toBe(before);
  expect((await world.send(pass, PODS)).status).toBe(200);
});

const editor = async (name: string) =>
  await world.pass(await world.person(name, `kubernetes_labels: {env: dev}, kubernetes_groups: [edit], ${EVERYTHING}`));

test('a pod with powers over its host is told, when the cluster has taken it, and not when it was only tried', async () => {
  const dora = await editor('dora');
  const make = (name: string, query = '') =>
    world.send(dora, `${PODS}${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
      body: JSON.stringify({
        ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name } },
        spec: { hostNetwork: true, containers: [{ name: 'c', image: 'web', securityContext: { privileged: true } }] },
      }),
    });

  const tried = await make('tried', '?dryRun=All');
  const made = await make('strong');
  const again = await make('strong');

  expect([made.status, again.status]).toEqual([201, 409]);
  expect(world.cluster.get('v1', 'Pod', 'default', 'strong')).toMatchObject({ spec: { hostNetwork: true } });
  const told = await vi.waitFor(async () => {
    const found = (await world.gateway.events()).filter(({ code }) => code === 'GH361W').map(({ data }) => data);
    expect(found.length).toBeGreaterThan(0);
    return found;
  }, SOON_MS);
  expect(told).toMatchObject([
    {
      ...{ user: 'dora', verb: 'create', powers: ['hostNetwork', 'privileged'], kubernetes_cluster: 'prod' },
      ...{ resource_namespace: 'default', resource_kind: 'pods', resource_name: 'strong' },
      request_id: made.headers['x-request-id'],
    },
  ]);
  expect(tried.headers['x-request-id']).not.toBe(told[0]?.request_id);
});

test('a debug container is told with what it runs, and refused where a moderator is to watch', async () => {
  world.cluster.put({
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'plain', namespace: 'default' } },
    spec: { containers: [{ name: 'c', image: 'web' }] },
  });
  const rbac = 'rbac.authorization.k8s.io';
  const rules = [{ apiGroups: [''], resources: ['pods/ephemeralcontainers'], verbs: ['patch'] }];
  world.cluster.put({ apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name: 'debug' }, rules });
  world.cluster.put({
    ...{ apiVersion: `${rbac}/v1`, kind: 'ClusterRoleBinding', metadata: { name: 'debug' } },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'debug' },
    subjects: [{ apiGroup: rbac, kind: 'Group', name: 'edit' }],
  });
  const debug = (by: string) =>
    world.send(by, `${PODS}/plain/ephemeralcontainers`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/strategic-merge-patch+json' },
      body: JSON.stringify({
        spec: {
          ephemeralContainers: [
            { name: 'd-1', image: 'busybox', targetContainerName: 'c', command: ['sh', '-c', 'id'] },
          ],
        },
      }),
    });
  const watched = await world.person(
    'moss',
    `kubernetes_labels: {env: dev}, kubernetes_groups: [edit], ${EVERYTHING}, require_session_join: [{name: j, filter: 'contains(user.roles, "auditor")', kinds: [k8s], modes: [moderator], count: 1}]`,
  );

  const added = await debug(await editor('dan'));
  const refused = await debug(await world.pass(watched));

  expect(added.status).toBe(200);
  expect(refused.status).toBe(403);
  expect(messageOf(refused.text)).toContain('moderator');
  await vi.waitFor(async () => {
    const found = (await world.gateway.events()).filter(({ code }) => code === 'GH360I').map(({ data }) => data);
    expect(found).toMatchObject([
      {
        ...{ user: 'dan', kubernetes_pod_namespace: 'default', kubernetes_pod_name: 'plain' },
        ...{ kubernetes_container_image: 'busybox', target_container: 'c', initial_command: ['sh', '-c', 'id'] },
        request_id: added.headers['x-request-id'],
      },
    ]);
  }, SOON_MS);
});

test('what is longer than clusters take is refused, and not kept', async () => {
  const { status } = await world.send(await editor('drew'), PODS, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ x: 'y'.repeat(4 * 1024 * 1024) }),
  });

  expect(status).toBe(413);
});

test('a cluster that does not know the gateway any more is not taken for one that does not know the pass', async () => {
  const kate = await editor('kate');
  expect((await world.send(kate, PODS)).status).toBe(200);
  world.cluster.revoke(world.token);
  const upgrade = { connection: 'Upgrade', upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'v4.channel.k8s.io' };

  const listed = await world.send(kate, PODS);
  const watched = await world.send(kate, `${PODS}?watch=1`);
  const ran = await world.send(kate, `${PODS}/web/exec?command=sh&stdout=1`, { method: 'POST', headers: upgrade });
  const page = new BrowsePage(world.origin, world.ann);
  const refused = await page.until('refused');
  await page.closing;

  for (const { status, text, headers } of [listed, watched, ran]) {
    expect([status, headers['content-type']]).toEqual([503, 'application/json']);
    expect(JSON.parse(text)).toMatchObject({ kind: 'Status', reason: 'ServiceUnavailable', code: 503 });
    expect(messageOf(text)).toContain("'prod' does not know what the gateway shows it (401). This is not about you");
    expect(messageOf(text)).toContain('gatehouse kube add prod --kubeconfig FILE --replace');
  }
  expect(refused.message).toContain('does not know what the gateway shows it');
});
