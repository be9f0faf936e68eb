/** Every door to a server, or into pods, holds the same controls: what the terminal of the console refuses, no other way in gives. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { fileRoutes } from '@gatehouse/contract/kinds/node/files/files';
import { call } from '@gatehouse/contract/wire/client';
import type { KubeCluster } from '@gatehouse/testkit/kube/kube-cluster';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { PASSWORD } from '../../testing/identity-gateway.ts';
import { BrowsePage } from '../../testing/kube/browse-page.ts';
import { askForExec, openExec, openForward, startPods } from '../../testing/sessions/kube-doors.ts';
import { type ShellWorld, startShellWorld } from '../../testing/sessions/shell-world.ts';
import { doorClient, openSshDoor } from '../../testing/sessions/ssh-doors.ts';
import { connectTerminal, opening, tabOf } from '../../testing/sessions/terminal-client.ts';
import { makeTakeawayRoles, TAKEAWAY_NAMES, TAKEAWAYS } from '../../testing/takeaways.ts';
import type { TestBrowser } from '../../testing/test-browser.ts';
import { decodeEnvelope } from '../doors/terminal/compat/envelope.ts';

let world: ShellWorld;
let pods: KubeCluster;
let sshPort: number;
let talkative: Server;
beforeAll(async () => {
  world = await startShellWorld();
  await makeTakeawayRoles(world.admin);
  await world.makeRole(
    'pods',
    `{allow: {kubernetes_labels: {env: dev}, kubernetes_groups: [edit], kubernetes_resources: [{kind: pod, namespace: '*', name: '*'}]}}`,
  );
  pods = await startPods(world.admin);
  sshPort = await openSshDoor(world.gateway);
  talkative = createServer((socket) => socket.on('error', () => {}).end('hello')).listen(0, '127.0.0.1');
  await once(talkative, 'listening');
});
afterAll(async () => {
  talkative?.close();
  await world?.close();
  await pods?.stop();
});

type Verdict = 'in' | 'refused';
type Door = (who: TestBrowser, server?: string) => Promise<Verdict>;

/** Their clock is not this gateway's: ssh would take its certificate for an old one. */
const ANY_HOST = ['-o', 'StrictHostKeyChecking=no', '-o', 'HostKeyAlgorithms=ssh-ed25519'];

/** Where nobody is let in, the agent is not even asked; where somebody is, it was, whatever it said. */
const DOORS: Record<string, Door> = {
  async terminal(who, server = 'edge') {
    const client = connectTerminal(tabOf(world.gateway.app, who), opening(server, 'ubuntu'));
    onTestFinished(() => client.cut());
    return await outcome(client.closed, () => client.replies.some(({ type }) => type === 'refused' || type === 'flow'));
  },
  async 'socket of the reference'(who, server = 'edge') {
    const { port } = world.gateway.app.server.address() as AddressInfo;
    const params = encodeURIComponent(JSON.stringify({ login: 'ubuntu', server_id: server, term: { h: 24, w: 80 } }));
    const { headers } = tabOf(world.gateway.app, who);
    const path = `/v1/webapi/sites/localhost/connect?access_token=${who.bearer}&params=${params}`;
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers });
    onTestFinished(() => socket.on('error', () => {}).terminate());
    const heard: string[] = [];
    socket.on('message', (data: Buffer) => void heard.push(String(decodeEnvelope(data)?.payload)));
    socket.on('error', () => {});
    const over = Promise.race([once(socket, 'close'), once(socket, 'unexpected-response')]);
    return await outcome(over, () => heard.some((text) => text.includes('must join as moderator')));
  },
  files: (who, server = 'edge') =>
    called(() =>
      call(who.send, fileRoutes.open, { params: { clusterId: 'localhost' }, body: { server, login: 'ubuntu' } }),
    ),
  'copy call of the reference': (who, server = 'edge') =>
    called(async () => {
      const path = `/v1/webapi/sites/localhost/nodes/${encodeURIComponent(server)}/ubuntu/scp?location=%2Fetc%2Fhosts`;
      const { status, text } = await who.send({ method: 'GET', url: path });
      if (status >= 400) throw Object.assign(new Error(text), { status });
    }),
  async 'ssh, on a terminal'(who, server = 'edge') {
    const client = await doorClient(sshPort, who).catch(() => undefined);
    if (!client) return 'refused';
    const child = client.start('ssh', ['-tt', ...ANY_HOST, '-F', client.config, `ubuntu@${server}@gate`]);
    let printed = '';
    child.stdout?.on('data', (bytes: Buffer) => {
      printed += bytes;
    });
    return await outcome(once(child, 'close'), () => printed.includes('moderator'));
  },
  async 'command by ssh'(who, server = 'edge') {
    const client = await doorClient(sshPort, who).catch(() => undefined);
    // The agent in memory runs none: whoever is let in hears that it is too old.
    const ran = await client?.ssh(...ANY_HOST, `ubuntu@${server}@gate`, 'true');
    return ran?.stderr.includes('too old') ? 'in' : 'refused';
  },
  async 'files by ssh'(who, server = 'edge') {
    const client = await doorClient(sshPort, who).catch(() => undefined);
    const ran = await client?.ssh(...ANY_HOST, '-s', `ubuntu@${server}@gate`, 'sftp');
    return ran?.stderr.includes('nothing') ? 'in' : 'refused';
  },
};
const SERVER_DOORS = Object.keys(DOORS);

const podDoor =
  (open: (at: { port: number }, who: TestBrowser) => Promise<{ destroy?(): void; terminate?(): void }>): Door =>
  async (who) => {
    const { port } = world.gateway.app.server.address() as AddressInfo;
    const opened = await open({ port }, who).catch(() => undefined);
    onTestFinished(() => opened?.terminate?.() ?? opened?.destroy?.());
    return opened ? 'in' : 'refused';
  };
/** Programs show a pass; whoever gets none is refused by that. */
const POD_DOORS: Record<string, Door> = {
  'terminal in a pod': podDoor(async (at, who) => {
    const socket = await askForExec(at, who, 'tty');
    const printed = (text: string) =>
      new Promise<void>((resolve) => socket.on('message', (data: Buffer) => void (data.includes(text) && resolve())));
    const over = new Promise<void>((resolve) => socket.on('error', () => {}).on('close', () => resolve()));
    // Whoever waits for a moderator is not in it yet.
    const out = Promise.race([printed('moderator'), over]).then(() => socket.terminate());
    await Promise.race([printed('ready'), out]);
    if (socket.readyState !== socket.OPEN) throw new Error('nobody was let in');
    return socket;
  }),
  'command in a pod': podDoor((at, who) => openExec(at, who, 'plain')),
  'port of a pod': podDoor((at, who) => openForward(at, who, (talkative.address() as AddressInfo).port)),
  async 'page of a cluster'(who) {
    const { port } = world.gateway.app.server.address() as AddressInfo;
    const page = new BrowsePage(`http://127.0.0.1:${port}`, who, { name: 'pods' });
    onTestFinished(() => page.close());
    const seen = page.until('ready').then(() => 'in' as const);
    return await Promise.race([seen, page.until('factor').then(refused), page.closing.then(refused)]);
  },
};
const refused = () => 'refused' as const;
Object.assign(DOORS, POD_DOORS);
const DOOR_NAMES = Object.keys(DOORS);

async function outcome(over: Promise<unknown>, isHeld: () => boolean): Promise<Verdict> {
  const before = world.fakes.shells.size;
  let isOver = false;
  void over.then(() => {
    isOver = true;
  });
  await vi.waitFor(() => expect(isOver || isHeld() || world.fakes.shells.size > before).toBe(true), { timeout: 5_000 });
  return world.fakes.shells.size > before ? 'in' : 'refused';
}

/** The agent in memory has no files: whoever is let in hears that from it. */
async function called(ask: () => Promise<unknown>): Promise<Verdict> {
  const error = await ask().then(
    () => undefined,
    (thrown: { status: number }) => thrown,
  );
  return error === undefined || error.status >= 500 ? 'in' : 'refused';
}

const ROLES = ['dev', 'pods'];
let people = 0;
async function somebody(): Promise<{ name: string; browser: TestBrowser }> {
  people += 1;
  const name = `person-${people}`;
  await world.gateway.addUser(name, { roles: ROLES });
  const browser = world.gateway.browser({ address: `127.0.2.${people}` });
  await browser.signIn(name, PASSWORD);
  return { name, browser };
}

test.each(DOOR_NAMES)('by the %s somebody gets in, so that the refusals below mean something', async (door) => {
  const { browser } = await somebody();

  expect(await DOORS[door]?.(browser)).toBe('in');
});

/** Looking at a cluster is no session that anybody could watch: moderators are asked for where something runs. */
const isAsked = (door: string, what: string) => door !== 'page of a cluster' || what !== 'a moderator is asked for';

test.each(
  DOOR_NAMES.flatMap((door) =>
    TAKEAWAY_NAMES.filter((what) => isAsked(door, what)).map((what) => [door, what] as const),
  ),
)('by the %s nobody gets in after %s', async (door, what) => {
  const { name, browser } = await somebody();
  await TAKEAWAYS[what](world.admin, name, ROLES);
  await world.gateway.settled();

  expect(await DOORS[door]?.(browser)).toBe('refused');
});

const ADDRESSES = ['127.0.0.1', '127.0.0.1:22', '[::1]:22', 'ubuntu@127.0.0.1', 'ssh://127.0.0.1', 'other.example:22'];

test.each(SERVER_DOORS)('by the %s a server is named, and an address leads nowhere', async (door) => {
  const { browser } = await somebody();

  for (const address of ADDRESSES)
    expect([address, await DOORS[door]?.(browser, address)]).toEqual([address, 'refused']);
});
