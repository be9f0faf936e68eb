/** Agents of the fuzzer: enrolled as real ones are, with shells that print what a target says. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { nodeRoutes } from '@gatehouse/contract/kinds/node/nodes';
import { REPORT_TARGET } from '@gatehouse/contract/reach/agents/report';
import { SHELL_TARGET } from '@gatehouse/contract/reach/agents/targets';
import { TUNNEL_PATH } from '@gatehouse/contract/reach/tunnel/handshake';
import type { TerminalRequest } from '@gatehouse/contract/sessions/terminal-frames';
import { call } from '@gatehouse/contract/wire/client';
import {
  type JoinedAgent,
  join,
  newJoinToken,
  nodeOf,
  startAgent,
  type TestAgent,
} from '@gatehouse/gateway/testing/test-agent';
import type { AgentTunnel } from '@gatehouse/tunnel/connect-tunnel';
import { writeMessage } from '@gatehouse/tunnel/messages';
import { encodeShellFrame } from '@gatehouse/tunnel/shell-frame-codec';
import { LABELS, LOGIN, type Victim } from './victim.ts';

export const STATE = { start: 0, end: 0, taken: {}, echo: true, program: '', pid: 1, login: LOGIN, cols: 80, rows: 24 };
export const STATE_FRAME = Buffer.concat(encodeShellFrame({ type: 'state', state: STATE }));

export interface EnrolledAgent {
  joined: JoinedAgent;
  tunnel: AgentTunnel;
}

export async function enrol(victim: Victim, name: string): Promise<JoinedAgent> {
  const body = { roles: ['Node', 'App'] as ['Node', 'App'], offers: { apps: ['*'] }, labels: LABELS };
  return join(victim.owner, { token: await newJoinToken(victim.owner, body), name });
}

/** Connected through the given port, by default the gateway's own. */
export function connectAgent(
  victim: Victim,
  joined: JoinedAgent,
  onShell: (shell: Duplex) => void,
  { port = victim.port, onReports }: { port?: number; onReports?: (reports: Duplex) => void } = {},
): TestAgent {
  return startAgent(joined, {
    url: `http://127.0.0.1:${port}${TUNNEL_PATH}`,
    onStream(offered, { target }) {
      const stream = offered.accept();
      stream.on('error', () => {});
      if (target === SHELL_TARGET) return onShell(stream);
      if (target !== REPORT_TARGET) return void stream.end();
      stream.resume();
      const report = { type: 'report' as const, seq: 1, resources: [nodeOf(joined, LABELS)] };
      writeMessage(stream, report).then(
        () => onReports?.(stream),
        () => {},
      );
    },
  });
}

export async function untilListed(victim: Victim, name: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const { items } = await call(victim.owner, nodeRoutes.list, {
      params: { clusterId: '-current-' },
      query: { search: name } as never,
    });
    if (items.some(({ hostname }) => hostname === name)) return;
    await sleep(100);
  }
  throw new Error(`'${name}' did not come`);
}

export function openingOf(server: string): Extract<TerminalRequest, { type: 'open' }> {
  const writer = randomBytes(8).toString('hex');
  return { type: 'open', server, login: LOGIN, cols: 80, rows: 24, writer, request: randomUUID() };
}

/** A shell that prints what is typed, as a terminal in cooked mode does. */
export function tameShell(shell: Duplex): void {
  shell.write(STATE_FRAME);
  shell.resume();
  shell.write(Buffer.concat(encodeShellFrame({ type: 'output', offset: 0, bytes: Buffer.from('$ ') })));
}
