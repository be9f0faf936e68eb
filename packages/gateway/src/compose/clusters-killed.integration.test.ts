/** A leaf, its agent and a root, real processes, killed in turn while somebody of the root works at the leaf: what was done, its recording and both logs are whole. */
import { once } from 'node:events';
import { eventRoutes } from '@gatehouse/contract/audit/search';
import { nodeRoutes } from '@gatehouse/contract/kinds/node/nodes';
import { trustedClusterRoutes } from '@gatehouse/contract/reach/trusted-clusters/trusted-clusters';
import { recordingRoutes } from '@gatehouse/contract/recordings/recordings';
import { call, type Send } from '@gatehouse/contract/wire/client';
import { freePort } from '@gatehouse/testkit/free-port';
import { type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { trustContent } from '../../testing/federation/two-clusters.ts';
import { signInToProcess } from '../../testing/sessions/process-people.ts';
import { type ProcessWorld, SERVER, startProcessWorld } from '../../testing/sessions/process-world.ts';
import { doorClient } from '../../testing/sessions/ssh-doors.ts';
import { connectTerminal, opening, type Tab, type TerminalClient } from '../../testing/sessions/terminal-client.ts';
import { localSend } from '../doors/local-socket/local-send.ts';

const SETTINGS = { GATEHOUSE_SECOND_FACTOR: 'off', GATEHOUSE_LOG_LEVEL: 'warn' };
let root: GatewayProcess;
let leaf: ProcessWorld;
/** Of ann, who is known to the root alone. */
let tab: Tab;
let ann: Send;
/** Of the root's door. */
let port: number;

beforeAll(async () => {
  port = await freePort();
  [root, leaf] = await Promise.all([
    startGateway({ ...SETTINGS, GATEHOUSE_CLUSTER_NAME: 'hq', GATEHOUSE_SSH_LISTEN: `127.0.0.1:${port}` }),
    startProcessWorld({ ...SETTINGS, GATEHOUSE_CLUSTER_NAME: 'east' }),
  ]);
  const owner = localSend(root.dataDir);
  const { token, rootKey } = await call(owner, trustedClusterRoutes.createToken, { body: {} });
  const role_map = [{ remote: 'access', local: ['dev'] }];
  const spec = { token, root_key: rootKey, web_proxy_addr: root.origin, role_map };
  await call(leaf.owner, trustedClusterRoutes.create, { body: { content: trustContent('hq', spec) } });
  const signedIn = await signInToProcess(root, 'ann', 'access');
  tab = { ...signedIn, url: signedIn.url.replace('-current-', 'east') };
  ann = bearerSend(root.origin, signedIn);
});
afterAll(async () => {
  await leaf?.close();
  await root?.stop();
});

function bearerSend(origin: string, { token, headers }: Tab): Send {
  const csrf = /grv_csrf=([0-9a-f]+)/.exec(headers.cookie ?? '')?.[1] ?? '';
  return async ({ method, url, body }) => {
    const reply = await fetch(`${origin}${url}`, {
      method,
      headers: {
        ...{ ...headers, authorization: `Bearer ${token}`, 'x-csrf-token': csrf },
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
    });
    return { status: reply.status, text: await reply.text() };
  };
}

const listed = () => call(ann, nodeRoutes.list, { params: { clusterId: 'east' }, query: {} as never });
/** Processes that start, on a machine that has much to do. */
const LATER = { timeout: 60_000, interval: 300 };
const isBack = () => vi.waitFor(listed, LATER);
const codes = async (send: Send) => {
  const query = { limit: '500' } as never;
  const { events } = await call(send, eventRoutes.search, { params: { clusterId: '-current-' }, query });
  return (events ?? []).map(({ code, user, sid }) => ({ code, user, sid }));
};

test('both are killed under a shell, which goes on; its recording has everything, and both logs tell of it', {
  timeout: 240_000,
}, async () => {
  await isBack();
  const request = opening(SERVER, leaf.login);
  const first = connectTerminal(tab, request);
  const { sid } = await first.state;
  const says = async (client: TerminalClient, word: string) => {
    client.type(`echo "${word} $((1+1))"\n`);
    await client.until(new RegExp(`${word} 2`));
  };
  const again = (after: TerminalClient) =>
    vi.waitFor(async () => {
      const attach = { type: 'attach', sid, from: after.end(), cols: 80, rows: 24, writer: request.writer } as const;
      const client = connectTerminal(tab, attach, { after });
      await client.state;
      return client;
    }, LATER);
  await says(first, 'before');
  await vi.waitFor(
    async () =>
      expect(await codes(localSend(root.dataDir))).toContainEqual(expect.objectContaining({ code: 'GH221I', sid })),
    LATER,
  );

  await leaf.gateway.crash();
  await first.closed;
  await vi.waitFor(() => expect(listed()).rejects.toThrow("'east' is not connected since 20"), LATER);
  await leaf.gateway.startAgain();
  await isBack();
  const second = await again(first);
  await says(second, 'between');

  await root.crash();
  await second.closed;
  await root.startAgain();
  await isBack();
  const third = await again(second);
  await says(third, 'after');
  third.send({ type: 'end' });
  await third.told('ended');

  const cast = await leaf.gateway.command('recordings', 'export', sid);
  for (const word of ['before 2', 'between 2', 'after 2']) expect(cast.stdout).toContain(word);
  const here = (await codes(leaf.owner)).filter((event) => event.sid === sid);
  expect(here.filter(({ code }) => code === 'T2000I')).toMatchObject([{ user: 'hq/ann' }]);
  await vi.waitFor(
    async () =>
      expect((await codes(leaf.owner)).filter((event) => event.sid === sid && event.code === 'T2004I')).toMatchObject([
        { user: 'hq/ann' },
      ]),
    LATER,
  );
  const there = await codes(localSend(root.dataDir));
  expect(there.filter((event) => event.sid === sid)).toMatchObject([{ code: 'GH221I', user: 'ann' }]);
  for (const gateway of [root, leaf.gateway])
    expect(await gateway.command('audit', 'verify')).toMatchObject({ code: 0 });
});

/** The last one: there is no agent after it. */
test('an agent that is killed in the middle of a command ends it at the root in words; the leaf has what was printed, and that it failed', {
  timeout: 120_000,
}, async () => {
  await isBack();
  const client = await doorClient(port, { send: ann });
  const child = client.start('ssh', [
    ...['-F', client.config, `${leaf.login}@${SERVER}+east@gate`, 'echo before-the-end; sleep 60'],
  ]);
  const heard = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.on('data', (bytes: Buffer) => {
      heard[name] += bytes;
    });
  await vi.waitFor(() => expect(heard.stdout, heard.stderr).toBe('before-the-end\n'), LATER);

  process.kill(leaf.agentPid(), 'SIGKILL');
  const [code] = await once(child, 'close');

  expect(code).toBe(255);
  expect(heard.stderr).toContain('gatehouse: the connection to the agent was lost');
  const failed = async () => (await codes(leaf.owner)).find((event) => event.code === 'T3002E');
  await vi.waitFor(async () => expect(await failed()).toMatchObject({ user: 'hq/ann' }), LATER);
  const params = { clusterId: 'east', sid: String((await failed())?.sid) };
  const data = Buffer.from('before-the-end\r\n').toString('base64');
  await vi.waitFor(async () => {
    const { items } = await call(leaf.owner, recordingRoutes.playback, { params, query: { seek: '0' } });
    expect(items).toContainEqual(expect.objectContaining({ type: 'output', data }));
  }, LATER);
});
