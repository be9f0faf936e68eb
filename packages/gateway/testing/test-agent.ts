/** An agent for tests: joins with a token, keeps a real tunnel, reports what the test says, and serves a few targets. */
import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { agentRoutes } from '@gatehouse/contract/reach/agents/agents';
import {
  type AgentReport,
  REPORT_TARGET,
  type ReportedResource,
  type ReportTaken,
  reportTaken,
  TAKEN_BYTES,
} from '@gatehouse/contract/reach/agents/report';
import { TCP_PREFIX } from '@gatehouse/contract/reach/agents/targets';
import { joinTokenRoutes } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { TUNNEL_PATH } from '@gatehouse/contract/reach/tunnel/handshake';
import { call, type Send } from '@gatehouse/contract/wire/client';
import type { Body } from '@gatehouse/contract/wire/route';
import type { OnStream } from '@gatehouse/tunnel/agent-session';
import {
  type AgentTunnel,
  type ConnectionState,
  type ConnectOptions,
  connectTunnel,
} from '@gatehouse/tunnel/connect-tunnel';
import { agentKeyOf } from '@gatehouse/tunnel/handshake/agent-key';
import { signJoin } from '@gatehouse/tunnel/handshake/join-proof';
import { readMessage, writeMessage } from '@gatehouse/tunnel/messages';
import type { FastifyInstance } from 'fastify';

export interface JoinedAgent {
  id: string;
  name: string;
  key: KeyObject;
}

export interface TestAgent extends AgentTunnel {
  states: ConnectionState[];
  /** The gateway's answers to its reports. */
  taken: ReportTaken[];
  /** Reports once more; without resources that it is alive. */
  report(resources?: readonly unknown[]): Promise<void>;
}

type TokenBody = Partial<Body<typeof joinTokenRoutes.create>>;

/** A token made by an administrator. */
export async function newJoinToken(send: Send, body: TokenBody = {}): Promise<string> {
  const { id } = await call(send, joinTokenRoutes.create, { body: { roles: ['Node'], ...body } });
  return id;
}

export function newAgentKey(): KeyObject {
  return generateKeyPairSync('ed25519').privateKey;
}

export async function join(
  send: Send,
  given: { token: string; name: string; key?: KeyObject },
): Promise<JoinedAgent & { labels: Record<string, string> }> {
  const { token, name, key = newAgentKey() } = given;
  const body = await joinBody(send, { token, name, key });
  const { agentId, labels } = await call(send, agentRoutes.join, { body });
  return { id: agentId, name, key, labels };
}

/** `claim`: another key than the one that signs. */
export async function joinBody(
  send: Send,
  { token, name, key, claim = key }: { token: string; name: string; key: KeyObject; claim?: KeyObject },
) {
  const { nonce } = await call(send, agentRoutes.joinChallenge, {});
  const audience = 'localhost:3080';
  const signature = signJoin(key, { nonce, token, name, audience });
  return { token, name, key: agentKeyOf(claim).publicKey, version: '1.0.0', nonce, audience, signature };
}

export function tunnelUrl(app: FastifyInstance): string {
  const { port } = app.server.address() as AddressInfo;
  return `http://127.0.0.1:${port}${TUNNEL_PATH}`;
}

/** What an honest agent reports: the machine it runs on. */
export function nodeOf({ id, name }: Pick<JoinedAgent, 'id' | 'name'>, labels = {}): ReportedResource {
  return {
    kind: 'node',
    id,
    name,
    labels,
    spec: { type: 'agent', hostname: name, os: 'linux', arch: 'x64', version: '1.0.0' },
  };
}

interface TestAgentOptions extends Partial<ConnectOptions> {
  url: string;
  /** What it reports at first. */
  resources?: readonly unknown[];
  /** Databases that it says it looks after. */
  databaseMatch?: unknown;
  instanceId?: string;
  /** Dials `tcp:…` instead of refusing it, and waits for what it is told of each: a number is a port it dials here instead. */
  onDial?: (target: string) => unknown;
}

/** Serves `echo`, `source` (bytes without end) and its reports; refuses `tcp:…` as not allowed, answers nothing to `never`. */
export function startAgent(joined: JoinedAgent, options: TestAgentOptions): TestAgent {
  const { resources = [nodeOf(joined)], databaseMatch, instanceId = randomUUID(), onDial, ...connecting } = options;
  const states: ConnectionState[] = [];
  const taken: ReportTaken[] = [];
  let reports: Duplex | undefined;
  let seq = 0;

  const report = async (offered?: readonly unknown[]) => {
    if (!reports) throw new Error('the gateway has not asked for reports');
    seq += 1;
    const body = offered ? { type: 'report', seq, resources: offered, databaseMatch } : { type: 'alive', seq };
    await writeMessage(reports, body as AgentReport);
    const { value } = await readMessage(reports, reportTaken, { maxBytes: TAKEN_BYTES });
    taken.push(value);
  };
  const onStream: OnStream = async (offered, { target }) => {
    if (target === 'never') return;
    if (target === REPORT_TARGET) {
      reports = offered.accept();
      reports.on('error', () => {});
      await report(resources).catch(() => {});
      return;
    }
    if (onDial && target.startsWith(TCP_PREFIX)) {
      const instead = await onDial(target);
      const [host, port] = target.slice(TCP_PREFIX.length).split(':');
      const isAstray = typeof instead === 'number' && instead > 1_023;
      const socket = isAstray ? connect(instead, '127.0.0.1') : connect(Number(port), host);
      const stream = offered.accept();
      await Promise.allSettled([pipeline(stream, socket), pipeline(socket, stream)]);
      return;
    }
    if (target !== 'echo' && target !== 'source') {
      return offered.refuse('not_allowed', `'${target}' is not in allow`);
    }
    const stream = offered.accept();
    stream.on('error', () => {});
    if (target === 'echo') stream.pipe(stream);
    else await flood(stream);
  };
  const tunnel = connectTunnel({
    key: joined.key,
    hello: () => ({ version: '1.0.0', hostname: joined.name, instanceId, offers: { node: 1 } }),
    onStream,
    log: { debug() {}, info() {}, warn() {} },
    now: () => performance.now(),
    onState: (state) => states.push(state),
    backOff: { baseMs: 20, capMs: 200 },
    ...connecting,
  });
  return {
    states,
    taken,
    report,
    closed: tunnel.closed,
    ping: () => tunnel.ping(),
    close: (how) => tunnel.close(how),
  };
}

/** Keeps what is on the way to the gateway full; a pause when it is full leaves the processor to who reads. */
async function flood(stream: Duplex): Promise<void> {
  stream.resume();
  const block = Buffer.alloc(64 * 1024);
  while (!stream.destroyed) if (!stream.write(block)) await sleep(10);
}
