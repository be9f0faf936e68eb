/** An agent as a process of its own, for tests that kill it. The parent gives options and asks for figures by message. */
import { createPrivateKey } from 'node:crypto';
import type { Link } from '../src/link.ts';
import { startTestAgent } from './test-agent.ts';

export interface AgentProcessOptions {
  url: string;
  ca: string;
  /** PEM, so that a restarted process is the same agent. */
  key: string;
  transport?: 'auto' | Link['transport'];
  backOff?: { baseMs: number; capMs: number };
}

export interface ProcessFigures {
  heapBytes: number;
  resources: number;
  produced: number;
  connected: boolean;
}

const [json = '{}'] = process.argv.slice(2);
const { key, ...options }: AgentProcessOptions = JSON.parse(json);
const agent = startTestAgent({ ...options, key: createPrivateKey(key) });

process.on('message', async () => {
  // Twice with a turn between: finalizers of the first free what the second finds.
  for (let round = 0; round < 2; round++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const figures: ProcessFigures = {
    heapBytes: process.memoryUsage().heapUsed,
    resources: process.getActiveResourcesInfo().length,
    produced: agent.produced(),
    connected: agent.states.at(-1)?.state === 'connected',
  };
  process.send?.(figures);
});
process.on('disconnect', () => process.exit());
