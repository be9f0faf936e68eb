/** Somebody beside those that terminal.bench.ts measures, in a process of its own: their terminals print without end. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Tab } from '@gatehouse/gateway/testing/sessions/terminal-client';
import { atPrompt, gatewayLine } from './terminal-line.ts';

interface Load {
  tab: Tab;
  servers: readonly string[];
  login: string;
}

const { tab, servers, login } = JSON.parse(process.argv[2] ?? '') as Load;
const lines = await Promise.all(servers.map((server) => atPrompt(gatewayLine(tab, server, login))));
for (const line of lines) line.type('yes\n');
await sleep(200);
process.send?.('printing');

process.once('message', () => void stop());

/** Says how long each took to stop, from Ctrl-C to the next prompt, and how much came in all. */
async function stop(): Promise<void> {
  const stopped = [];
  for (const [index, line] of lines.entries()) {
    const from = performance.now();
    line.type('\x03');
    await line.until('RDY$ ');
    stopped.push({ server: servers[index], ms: performance.now() - from, megabytes: line.came() / 1e6 });
    line.close();
  }
  process.send?.(stopped);
  await Promise.all(lines.map(({ ended }) => ended));
  process.disconnect();
}
