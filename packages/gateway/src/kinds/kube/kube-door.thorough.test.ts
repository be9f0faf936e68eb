/** The door of programs to Kubernetes clusters: who is let in, what passes on, what is told to the log, and how what is open ends. */
import { setTimeout as sleep } from 'node:timers/promises';
import { KUBE_DOOR } from '@gatehouse/contract/kinds/kube/kube-pass';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
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
