/** Servers behind agents: a real sshd that only an agent dials, and machines that run an agent themselves. */
import { connect as connectTcp } from 'node:net';
import { pipeline } from 'node:stream';
import { nodeRoutes } from '@gatehouse/contract/kinds/node/nodes';
import { REPORT_TARGET } from '@gatehouse/contract/reach/agents/report';
import { LOGIN_TARGET } from '@gatehouse/contract/reach/agents/targets';
import { call } from '@gatehouse/contract/wire/client';
import type { OnStream } from '@gatehouse/tunnel/agent-session';
import { writeMessage } from '@gatehouse/tunnel/messages';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import {
  failure,
  params,
  type ServerWorld,
  startServerWorld,
  summary,
} from '../../../testing/connection-tests/server-world.ts';
import { type JoinedAgent, join, newJoinToken, startAgent, tunnelUrl } from '../../../testing/test-agent.ts';
import { holdHostNames } from '../../inventory/host-names.ts';
import { putResources } from '../../inventory/resource-store.ts';

let world: ServerWorld;
let edge: JoinedAgent;
beforeEach(async () => {
  world = await startServerWorld();
  await world.gateway.app.listen({ host: '127.0.0.1', port: 0 });
  edge = await join(world.gateway.send, { token: await newJoinToken(world.admin.send), name: 'edge' });
});
afterEach(() => world.close());

interface Served {
  /** Addresses its configuration allows. */
  allow?: string[];
  login?: (login: string | undefined) => { ok: boolean; reason?: string };
}

/** What was asked of it, with the metadata. */
const asked: { target: string; metadata: Record<string, string> }[] = [];

async function start({ allow = [], login = () => ({ ok: true }) }: Served = {}) {
  asked.length = 0;
  const onStream: OnStream = async (offered, { target, metadata }) => {
    if (target === REPORT_TARGET) return void offered.accept().on('error', () => {});
    asked.push({ target, metadata });
    if (target === LOGIN_TARGET) {
      const stream = offered.accept();
      stream.on('error', () => {});
      await writeMessage(stream, login(metadata.login));
      return;
    }
    const addr = target.replace('tcp:', '');
    if (!allow.includes(addr)) return offered.refuse('not_allowed', `${addr} is not in allow`);
    const [host, port] = addr.split(':');
    const socket = connectTcp(Number(port), host);
    socket.on('error', () => {});
    await new Promise<void>((resolve) => socket.once('connect', resolve));
    const stream = offered.accept();
    pipeline(stream, socket, stream, () => {});
  };
  const agent = startAgent(edge, { url: tunnelUrl(world.gateway.app), onStream });
  onTestFinished(() => agent.close({ drainMs: 0 }));
  await vi.waitFor(() => expect(world.gateway.connections.isConnected(edge.id)).toBe(true), { timeout: 5_000 });
  return agent;
}

test('a server that only an agent reaches is added and tested through it', async () => {
  const { sshd, ann, logins } = world;
  await start({ allow: [sshd.addr] });
  await world.trustGateway();

  const added = await world.add({ name: 'inside', through: 'edge' });
  const tested = await world.test(ann, 'inside', logins[0]);

  expect(added.node).toMatchObject({ tunnel: true, gatehouse: { agent: edge.id } });
  expect(summary(tested)).toEqual([
    'access SUCCESS RBAC_NODE',
    'access SUCCESS RBAC_PRINCIPAL',
    'reach SUCCESS CONNECTIVITY',
    'tcp SUCCESS CONNECTIVITY',
    'ssh SUCCESS CONNECTIVITY',
    'login SUCCESS NODE_PRINCIPAL',
  ]);
  expect(asked.at(-1)).toEqual({ target: `tcp:${sshd.addr}`, metadata: { user: 'ann', session: tested.id } });
});

test('an agent does not dial what its own configuration does not allow; that is told and audited', async () => {
  const { sshd, ann, logins } = world;
  await start();
  await world.add({ name: 'inside', through: 'edge', hostKeys: [sshd.hostKey()] });

  const tested = await world.test(ann, 'inside', logins[0]);

  expect(failure(tested)).toMatchObject({
    step: 'tcp',
    error: `the configuration of the agent 'edge' does not allow it: ${sshd.addr} is not in allow`,
    next: `let the configuration of the agent allow ${sshd.addr}`,
  });
  expect((await world.gateway.events()).filter(({ code }) => code === 'GH206W')).toMatchObject([
    { user: 'ann', data: { node_name: 'edge', target: sshd.addr } },
  ]);
});

test('an agent that is not connected is the step that fails, before and after it was there', async () => {
  const { sshd, ann, logins } = world;
  await world.add({ name: 'inside', through: 'edge', hostKeys: [sshd.hostKey()] });
  const never = await world.test(ann, 'inside', logins[0]);
  const agent = await start({ allow: [sshd.addr] });
  await agent.close({ drainMs: 0 });
  await vi.waitFor(() => expect(world.gateway.connections.isConnected(edge.id)).toBe(false), { timeout: 5_000 });

  const gone = await world.test(ann, 'inside', logins[0]);

  expect(failure(never)).toMatchObject({ step: 'reach', error: expect.stringContaining('is not connected') });
  expect(failure(gone)).toMatchObject({ step: 'reach', next: expect.stringContaining('start the agent') });
  await expect(world.add({ name: 'another', through: 'edge' })).rejects.toMatchObject({ status: 504 });
});

test('a machine with an agent of its own is asked whether it would start a shell', async () => {
  const { gateway, ann, logins } = world;
  const resource = {
    cluster: 'localhost',
    kind: 'node' as const,
    id: edge.id,
    name: 'edge',
    labels: { env: 'dev' },
    spec: { type: 'agent', hostname: 'edge.example' },
    owner: edge.id,
    expires: undefined,
  };
  await gateway.storage.db.transaction().execute(async (tx) => {
    await putResources(tx, [resource], 0);
    await holdHostNames(tx, [resource], 0);
  });
  const away = await world.test(ann, 'edge', logins[0]);
  await start({ login: (login) => (login === 'ghost' ? { ok: false, reason: 'no such user' } : { ok: true }) });

  const tested = await world.test(ann, 'edge', logins[0]);
  const byHostName = await world.test(ann, 'edge.example', 'ghost');

  expect(failure(away).step).toBe('reach');
  expect(summary(tested)).toEqual([
    'access SUCCESS RBAC_NODE',
    'access SUCCESS RBAC_PRINCIPAL',
    'reach SUCCESS CONNECTIVITY',
    'login SUCCESS NODE_PRINCIPAL',
  ]);
  expect(asked[0]).toEqual({
    target: LOGIN_TARGET,
    metadata: { login: logins[0], user: 'ann', session: tested.id },
  });
  expect(failure(byHostName)).toMatchObject({
    step: 'login',
    error: "the agent on 'edge' starts no shell for 'ghost': no such user",
  });
  await expect(
    call(world.admin.send, nodeRoutes.readHostKeys, { params: { ...params, id: 'edge' } }),
  ).rejects.toMatchObject({ status: 400 });
});
