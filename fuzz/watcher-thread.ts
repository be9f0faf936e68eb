/** The thread of `watcher.ts`. It counts how long the gateway waited for a core, and how late its own clock is: a machine that is busy is no stall of the gateway. */
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import type { Watched } from './watcher.ts';

const EVERY_MS = 100;
const { port, pid } = workerData as { port: number; pid: number };
let seen: Watched = { longestMs: 0, answered: 0 };
interface Wait {
  since: number;
  /** How late the clock of this thread was meanwhile. */
  lateMs: number;
  queuedAtFirst: number;
}
const waits = new Set<Wait>();
/** Kept open: a lost packet of a new connection costs a second of its own. */
const agent = new Agent({ keepAlive: true, maxSockets: 8 });
let last = performance.now();

setInterval(() => {
  const now = performance.now();
  const lateMs = Math.max(0, now - last - EVERY_MS);
  last = now;
  for (const wait of waits) {
    wait.lateMs += lateMs;
    note(wait);
  }
  if (waits.size < 20) question();
}, EVERY_MS);

function note({ since, lateMs, queuedAtFirst }: Wait): void {
  seen.longestMs = Math.max(seen.longestMs, performance.now() - since - lateMs - (queuedMs() - queuedAtFirst));
}

/** How long the thread that answers has been ready to run without a core to run on, since it began. */
function queuedMs(): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}

function question(): void {
  const wait: Wait = { since: performance.now(), lateMs: 0, queuedAtFirst: queuedMs() };
  waits.add(wait);
  const settle = (answered: boolean) => {
    if (!waits.delete(wait)) return;
    note(wait);
    if (answered) seen.answered += 1;
  };
  get({ host: '127.0.0.1', port, path: '/healthz', agent }, (reply) => {
    reply.resume();
    reply.on('end', () => settle(reply.statusCode === 200));
    reply.on('error', () => settle(false));
  }).on('error', () => settle(false));
}

parentPort?.on('message', () => {
  parentPort?.postMessage(seen);
  seen = { longestMs: 0, answered: 0 };
});
