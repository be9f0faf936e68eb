/** An agent with a key of its own and the targets of tests. */
import { generateKeyPairSync } from 'node:crypto';
import type { TunnelHello } from '@gatehouse/contract/reach/tunnel/handshake';
import { type AgentTunnel, type ConnectionState, type ConnectOptions, connectTunnel } from '../src/connect-tunnel.ts';
import { testTargets } from './streams.ts';
import { quietLog } from './test-gateway.ts';

export const TEST_HELLO: TunnelHello = { version: '0.1.0', hostname: 'web-1', instanceId: 'one', offers: { node: 1 } };

export interface TestAgent extends AgentTunnel {
  states: ConnectionState[];
  produced(): number;
}

export function startTestAgent(options: Partial<ConnectOptions> & { url: string }): TestAgent {
  const states: ConnectionState[] = [];
  const { onStream, produced } = testTargets();
  const tunnel = connectTunnel({
    key: newAgentKey(),
    hello: () => TEST_HELLO,
    onStream,
    log: quietLog,
    now: () => performance.now(),
    onState: (state) => states.push(state),
    backOff: { baseMs: 20, capMs: 200 },
    ...options,
  });
  return { closed: tunnel.closed, ping: () => tunnel.ping(), close: (how) => tunnel.close(how), states, produced };
}

export function newAgentKey() {
  return generateKeyPairSync('ed25519').privateKey;
}
