/** What runs in pods is a session like any other: decided, recorded, joined, moderated; and a cluster is asked before anything runs. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KUBE_DOOR } from '@gatehouse/contract/kinds/kube/kube-pass';
import { recordingRoutes } from '@gatehouse/contract/recordings/recordings';
import { sessionRoutes } from '@gatehouse/contract/sessions/sessions';
import { call } from '@gatehouse/contract/wire/client';
import { binding, clusterRole, podObject } from '@gatehouse/testkit/kube/kube-seed';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { makeRole } from '../../../testing/apps/app-world.ts';
import { type KubeWorld, startKubeWorld } from '../../../testing/kube/kube-world.ts';
import { recordedOutput } from '../../../testing/recordings/recorded-output.ts';
import { connectTerminal, tabOf } from '../../../testing/sessions/terminal-client.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';
import { MAX_KEPT_BYTES } from '../../sessions/commands/exec-recording.ts';

const EVERYTHING = "kubernetes_resources: [{kind: '*', api_group: '*', namespace: '*', name: '*', verbs: ['*']}]";
const DEV = `kubernetes_labels: {env: dev}, kubernetes_groups: [edit], ${EVERYTHING}`;
const WATCHED = `require_session_join: [{name: four eyes, filter: 'contains(user.roles, "eyes")', kinds: [k8s], modes: [moderator], on_leave: pause}]`;

let world: KubeWorld;
let folder: string;
let bob: TestBrowser;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-pods-'));
  world = await startKubeWorld({
    dataDir: folder,
    cluster: {
      objects: [
        podObject('default', 'web'),
        clusterRole('reader', [
          { apiGroups: [''], resources: ['pods', 'pods/exec', 'pods/portforward'], verbs: ['get'] },
        ]),
        binding('reader', 'reader', { kind: 'Group', name: 'reader' }),
      ],
    },
  });
  await world.cluster.running('default', 'web');
  await makeRole(
    world.admin,
    'eyes',
    '{allow: {join_sessions: [{name: j, kinds: [k8s], roles: ["*"], modes: [moderator, peer]}]}}',
  );
  await world.gateway.addUser('bob', { roles: ['eyes'] });
  bob = await world.gateway.signedIn('bob');
});
afterAll(async () => {
  await world?.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Exec {
  socket: WebSocket;
  printed(): string;
  prints(text: string): Promise<void>;
  type(text: string): void;
  /** Its status, once it is over. */
  status: Promise<{ status: string; message?: string; reason?: string }>;
}

/** As a program does; throws the status it is answered with instead. */
async function exec(who: TestBrowser, command: readonly string[], more = '', wants = '&stdout=1'): Promise<Exec> {
  const words = command.map((word) => `command=${encodeURIComponent(word)}`).join('&');
  const path = `${KUBE_DOOR}prod/api/v1/namespaces/default/pods/web/exec?${words}&stdin=1${wants}${more}`;
  const headers = { authorization: `Bearer ${await world.pass(who)}` };
  const socket = new WebSocket(`${world.origin.replace('http', 'ws')}${path}`, ['v5.channel.k8s.io'], { headers });
  onTestFinished(() => socket.terminate());
  let [printed, told] = ['', ''];
  socket.on('message', (data: Buffer) => {
    if (data[0] === 1) printed += data.subarray(1).toString();
    if (data[0] === 3) told += data.subarray(1).toString();
  });
  const status = new Promise<void>((resolve) => socket.once('close', () => resolve())).then(() =>
    JSON.parse(told || '{}'),
  );
  const answered = new Promise<IncomingMessage>((resolve) =>
    socket.once('unexpected-response', (_, answer) => resolve(answer)),
  );
  const refused = answered.then(async (answer) => {
    let body = '';
    for await (const piece of answer) body += String(piece);
    throw JSON.parse(body);
  });
  refused.catch(() => {});
  const opened = new Promise<void>((resolve) => socket.once('open', resolve));
  socket.on('error', () => {});
  await Promise.race([opened, refused]);
  return {
    socket,
    status,
    printed: () => printed,
    prints: (text) => vi.waitFor(() => expect(printed).toContain(text), 10_000),
    type: (text) => socket.send(Buffer.concat([Buffer.of(0), Buffer.from(text)])),
  };
}

const lastSession = async (user: string) => {
  const rows = await world.gateway.storage.db.selectFrom('session').selectAll().where('user', '=', user).execute();
  return rows.sort((a, b) => a.created - b.created).at(-1)!;
};
const attaching = (sid: string, mode: 'peer' | 'moderator') =>
  ({ type: 'attach', sid, mode, cols: 80, rows: 24, writer: randomBytes(8).toString('hex') }) as const;
const codesOf = async (sid: string) =>
  (await world.gateway.events()).filter(({ data }) => data.sid === sid).map(({ code }) => code);

test('who may only read is not let run anything by a websocket, which clusters take for reading', async () => {
  const reader = await world.person(
    'reader',
    `kubernetes_labels: {env: dev}, kubernetes_groups: [reader], ${EVERYTHING}`,
  );
  const before = world.cluster.seen.length;

  await expect(exec(reader, ['sh'])).rejects.toMatchObject({
    code: 403,
    reason: 'Forbidden',
    message: expect.stringContaining("the Kubernetes user 'reader' create pods/exec for the pod 'web'"),
  });
  expect(world.cluster.seen.slice(before).filter(({ url }) => url.includes('/exec'))).toEqual([]);
});

test('a pod that is not there is told in the words of the cluster', async () => {
  const who = await world.person('lost', DEV);
  const path = '/api/v1/namespaces/default/pods/nowhere/exec?command=sh&stdout=1';
  const reply = await world.send(await world.pass(who), path, {
    method: 'POST',
    headers: { connection: 'Upgrade', upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'v4.channel.k8s.io' },
  });

  expect(reply.status).toBe(404);
  expect(JSON.parse(reply.text).message).toContain('pods "nowhere" not found');
});

test('a terminal is recorded, and the log has its begin, its sizes and its end with all of the pod', async () => {
  const who = await world.person('tina', DEV);
  const shell = await exec(who, ['sh', '-c', 'echo ready; exec cat'], '&tty=1');
  shell.socket.send(Buffer.concat([Buffer.of(4), Buffer.from('{"Width":101,"Height":33}')]));
  await shell.prints('ready');
  shell.type('typed\r');
  await shell.prints('typed');
  const { id } = await lastSession('tina');
  await vi.waitFor(async () => expect(await codesOf(id)).toContain('T2002I'));
  shell.type('\x04');

  expect(await shell.status).toMatchObject({ status: 'Success' });
  await vi.waitFor(async () => expect(await codesOf(id)).toContain('T2004I'));
  const end = (await world.gateway.events()).find(({ code, data }) => code === 'T2004I' && data.sid === id);
  expect(end?.data).toMatchObject({
    ...{ proto: 'kube', kubernetes_cluster: 'prod', kubernetes_users: ['tina'], kubernetes_groups: ['edit'] },
    ...{ kubernetes_pod_name: 'web', kubernetes_pod_namespace: 'default', kubernetes_labels: { env: 'dev' } },
    ...{ interactive: true, session_recording: 'gateway', initial_command: ["sh -c 'echo ready; exec cat'"] },
  });
  expect(await codesOf(id)).toEqual(expect.arrayContaining(['T2000I', 'T2010I', 'T2006I', 'T3002I', 'T2004I']));
  const path = join(folder, 'recordings', `${id}.rec`);
  await vi.waitFor(async () => expect(String(await recordedOutput(path))).toBe(shell.printed()));
});

test.each([
  ['&tty=1', 'sh'],
  ['', 'sh -i'],
])('whoever types and asks for nothing that is printed is recorded all the same%s', async (more, shell) => {
  const name = `blind${more === '' ? '' : '-tty'}`;
  const who = await world.person(name, DEV);
  const blind = await exec(who, ['sh', '-c', `exec ${shell}`], more, '');
  blind.type(`echo $((6 * 7)) seen\nexit\n`);

  expect(await blind.status).toMatchObject({ status: 'Success' });
  expect(blind.printed()).toBe('');
  const path = join(folder, 'recordings', `${(await lastSession(name)).id}.rec`);
  await vi.waitFor(async () => expect(String(await recordedOutput(path))).toContain('42 seen'));
});

test('a command without a terminal is recorded as one would have shown it, and the log has its exit code', async () => {
  const who = await world.person('piet', DEV);
  const ran = await exec(who, ['sh', '-c', 'echo one; echo two >&2; exit 5'], '&stderr=1');

  expect(await ran.status).toMatchObject({ status: 'Failure', reason: 'NonZeroExitCode' });
  const { id, interactive, recorded } = await lastSession('piet');
  expect([interactive, recorded]).toEqual([0, 1]);
  await vi.waitFor(async () => expect(await codesOf(id)).toContain('T2004I'));
  const told = (await world.gateway.events()).find(({ code, data }) => code === 'T3002E' && data.sid === id);
  expect(told?.data).toMatchObject({ exitCode: '5', kubernetes_pod_name: 'web' });
  const path = join(folder, 'recordings', `${id}.rec`);
  const lines = String(await recordedOutput(path))
    .split('\r\n')
    .sort();
  expect(lines).toEqual(['', 'one', 'two']);
});

test('of much output the beginning is kept, and where a role is strict it ends there', async () => {
  const command = ['head', '-c', String(2 * MAX_KEPT_BYTES), '/dev/zero'];
  const easy = await world.person('easy', DEV);
  const strict = await world.person('strict', DEV, '{record_session: {default: strict}}');

  const whole = await exec(easy, command);
  expect(await whole.status).toMatchObject({ status: 'Success' });
  expect(whole.printed()).toHaveLength(2 * MAX_KEPT_BYTES);
  const path = join(folder, 'recordings', `${(await lastSession('easy')).id}.rec`);
  await vi.waitFor(async () => {
    const kept = await recordedOutput(path);
    expect(kept.length).toBeLessThan(MAX_KEPT_BYTES + 200);
    expect(String(kept.subarray(MAX_KEPT_BYTES))).toContain(`of ${2 * MAX_KEPT_BYTES} bytes of stdout`);
  });
  const cut = await exec(strict, command);
  expect(await cut.status).toMatchObject({ status: 'Failure', message: expect.stringContaining('recorded') });
  expect(cut.printed().length).toBeLessThanOrEqual(MAX_KEPT_BYTES);
});

test('somebody joins from the browser what a program opened, and types into it', async () => {
  const who = await world.person('jo', DEV);
  const shell = await exec(who, ['sh', '-c', 'echo ready; exec cat'], '&tty=1');
  await shell.prints('ready');
  const { id } = await lastSession('jo');
  const peer = connectTerminal(tabOf(world.gateway.app, bob), attaching(id, 'peer'));
  onTestFinished(() => peer.cut());
  await peer.until(/ready/);
  peer.type('from the browser\r');

  await shell.prints('from the browser');
  shell.socket.terminate();
  expect(await peer.told('ended')).toMatchObject({ cause: 'closed', message: 'the client that opened it left' });
});

test('where a moderator is wanted a terminal waits and says so, and nothing else is let through', async () => {
  const who = await world.person('mo', `${DEV}, ${WATCHED}`);
  const before = world.cluster.seen.length;
  const shell = await exec(who, ['sh', '-c', 'echo ready; exec cat'], '&tty=1');
  await shell.prints('The session is waiting. 1 more must join as moderator.');
  expect(world.cluster.seen.slice(before).filter(({ url }) => url.includes('/exec'))).toEqual([]);
  const { id } = await lastSession('mo');
  const moderator = connectTerminal(tabOf(world.gateway.app, bob), attaching(id, 'moderator'));
  await shell.prints('ready');
  moderator.cut();
  await shell.prints('The session is frozen.');
  shell.socket.terminate();

  await expect(exec(who, ['id'])).rejects.toMatchObject({
    code: 403,
    message: expect.stringContaining('use a terminal'),
  });
  const forward = await world.send(await world.pass(who), '/api/v1/namespaces/default/pods/web/portforward', {
    method: 'POST',
    headers: { connection: 'Upgrade', upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'portforward.k8s.io' },
  });
  expect([forward.status, JSON.parse(forward.text).message]).toEqual([403, expect.stringContaining('moderator')]);
});

test('whoever is shown out is told why, by the status that kubectl prints', async () => {
  const who = await world.person('gone', DEV);
  const shell = await exec(who, ['sh', '-c', 'echo ready; exec cat'], '&tty=1');
  const plain = await exec(who, ['sh', '-c', 'echo ready; exec cat']);
  await Promise.all([shell.prints('ready'), plain.prints('ready')]);
  await world.gateway.setRoles('gone', ['access']);

  for (const one of [shell, plain])
    expect(await one.status).toMatchObject({ status: 'Failure', message: expect.stringContaining('access denied') });
});

test('a rule on objects that changes ends what it allowed', async () => {
  const mine = "kubernetes_resources: [{kind: pods, api_group: '', namespace: default, name: web, verbs: [get, exec]}]";
  const who = await world.person('rue', `kubernetes_labels: {env: dev}, kubernetes_groups: [edit], ${mine}`);
  const shell = await exec(who, ['sh', '-c', 'echo ready; exec cat'], '&tty=1');
  await shell.prints('ready');
  const less = mine.replace('get, exec', 'get');
  await makeRole(
    world.admin,
    'less',
    `{allow: {kubernetes_labels: {env: dev}, kubernetes_groups: [edit], ${less}}}`,
    'v8',
  );
  await world.gateway.setRoles('rue', ['less']);

  expect(await shell.status).toMatchObject({ status: 'Failure' });
  await expect(exec(who, ['sh'], '&tty=1')).rejects.toMatchObject({ code: 403 });
});

test.each(['', '&tty=1'])(
  'a program that leaves while the cluster is asked leaves nothing behind (%s)',
  async (more) => {
    const name = more === '' ? 'lea' : 'leo';
    const who = await world.person(name, DEV);
    const pass = await world.pass(who);
    const { hostname, port } = new URL(world.origin);
    const began = (await world.gateway.storage.db.selectFrom('session').selectAll().where('user', '=', name).execute())
      .length;
    const socket = connect(Number(port), hostname);
    socket.write(
      `GET ${KUBE_DOOR}prod/api/v1/namespaces/default/pods/web/exec?command=cat&stdin=1&stdout=1${more} HTTP/1.1\r\nHost: localhost\r\n` +
        `Authorization: Bearer ${pass}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n` +
        'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: v5.channel.k8s.io\r\n\r\n',
    );
    await vi.waitFor(() => expect(world.cluster.seen.at(-1)?.url).toContain('selfsubjectaccessreviews'), {
      interval: 1,
    });
    socket.destroy();

    await vi.waitFor(async () => {
      const rows = await world.gateway.storage.db.selectFrom('session').selectAll().where('user', '=', name).execute();
      expect(rows).toHaveLength(began + 1);
      expect(rows.every(({ ended }) => ended !== null)).toBe(true);
    }, 10_000);
  },
);

test('the list of open sessions names the pod, and a forwarded port is one of them, which somebody else ends', async () => {
  const who = await world.person('fred', DEV);
  const shell = await exec(who, ['sh', '-c', 'echo ready; exec cat'], '&tty=1&container=main');
  await shell.prints('ready');
  const socket = connect(Number(new URL(world.origin).port), '127.0.0.1');
  socket.write(
    `POST ${KUBE_DOOR}prod/api/v1/namespaces/default/pods/web/portforward HTTP/1.1\r\nHost: localhost\r\n` +
      `Authorization: Bearer ${await world.pass(who)}\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n` +
      'X-Stream-Protocol-Version: portforward.k8s.io\r\n\r\n',
  );
  const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  expect(String((await once(socket, 'data'))[0])).toContain('101');
  const listed = await call(who.send, sessionRoutes.list, { params: { clusterId: 'localhost' } });
  const mine = (listed.sessions ?? []).filter(({ owner }) => owner === 'fred');

  expect(mine.map(({ resource_inside }) => resource_inside).sort()).toEqual(['default/web', 'default/web/main']);
  const forwarded = mine.find(({ resource_inside }) => resource_inside === 'default/web');
  expect(forwarded).toMatchObject({ resource_name: 'prod', recorded: false, participantModes: [] });
  await call(who.send, sessionRoutes.end, { params: { clusterId: 'localhost', sid: forwarded?.id ?? '' } });
  await gone;
  shell.type('\x04');
  // Only what was recorded is a recording, and it is found by the pod.
  const query = {
    from: new Date(0).toISOString(),
    to: new Date(Date.now() + 60_000).toISOString(),
    search: 'default/web/main fred',
  };
  const { recordings } = await call(world.admin.send, recordingRoutes.list, {
    params: { clusterId: 'localhost' },
    query,
  });
  expect(recordings).toMatchObject([{ owner: 'fred', kind: 'k8s', inside: 'default/web/main' }]);
});
