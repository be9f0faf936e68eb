/** Many agents in one process, for tests that kill their gateway. The parent gives the address and a token, and asks for figures. */
import { setTimeout as sleep } from 'node:timers/promises';
import { TUNNEL_PATH } from '@gatehouse/contract/reach/tunnel/handshake';
import type { Send } from '@gatehouse/contract/wire/client';
import { BACK_OFF, type BackOff } from '@gatehouse/tunnel/back-off';
import type { ConnectOptions } from '@gatehouse/tunnel/connect-tunnel';
import { join, startAgent, type TestAgent } from './test-agent.ts';

export interface SwarmOptions {
  origin: string;
  token: string;
  count: number;
  /** As real agents wait unless told. */
  backOff?: BackOff;
  transport?: ConnectOptions['transport'];
}

export interface SwarmFigures {
  connected: number;
  /** Answers to reports and heartbeats, of all agents together. */
  taken: number;
  /** Of the agent that has the fewest of them. */
  leastTaken: number;
  /** When each connected last, in milliseconds since 1970. */
  connectedAt: number[];
  heapBytes: number;
  resources: number;
}

export type SwarmOrder = 'figures' | 'beat';

const AT_ONCE = 32;

const [json = '{}'] = process.argv.slice(2);
const { origin, token, count, backOff = BACK_OFF, transport = 'auto' }: SwarmOptions = JSON.parse(json);
const agents: TestAgent[] = [];
const connectedAt = new Map<number, number>();

const send: Send = async ({ method, url, body }) => {
  const headers: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(`${origin}${url}`, { method, headers, ...(body === undefined ? {} : { body }) });
  return { status: response.status, text: await response.text() };
};

async function enrol(index: number): Promise<void> {
  // Names of their own, so that one swarm does not meet those of another.
  const joined = await join(send, { token, name: `${token.slice(0, 6)}-${index}` });
  agents[index] = startAgent(joined, {
    url: `${origin}${TUNNEL_PATH}`,
    backOff,
    transport,
    onState: ({ state }) => {
      if (state === 'connected') connectedAt.set(index, Date.now());
      else connectedAt.delete(index);
    },
  });
}

async function figures(): Promise<SwarmFigures> {
  // Twice with a turn between: finalizers of the first free what the second finds.
  for (let round = 0; round < 2; round++) {
    globalThis.gc?.();
    await sleep(20);
  }
  return {
    connected: connectedAt.size,
    taken: agents.reduce((sum, agent) => sum + agent.taken.length, 0),
    leastTaken: Math.min(...agents.map((agent) => agent.taken.length)),
    connectedAt: [...connectedAt.values()],
    heapBytes: process.memoryUsage().heapUsed,
    resources: process.getActiveResourcesInfo().length,
  };
}

process.on('message', async (order: SwarmOrder) => {
  if (order === 'beat') await Promise.allSettled(agents.map((agent) => agent.report()));
  process.send?.(await figures());
});
process.on('disconnect', () => process.exit());

const queue = Array.from({ length: count }, (_, index) => index);
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (let index = queue.shift(); index !== undefined; index = queue.shift()) await enrol(index);
  }),
);
