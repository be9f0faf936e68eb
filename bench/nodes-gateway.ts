/** The gateway that nodes.bench.ts measures, in a process of its own: 100,000 servers, one user who sees a part of them, and their agents' heartbeats. */
import { readdirSync, readFileSync } from 'node:fs';
import { createAnnouncer } from '@gatehouse/gateway/inventory/announce';
import { agentOf, seededNode } from '@gatehouse/tools/seed';
import { composedGateway } from './composed-gateway.ts';
import { BENCH_CLUSTER, BENCH_NODES, BENCH_ROLES } from './nodes-store.ts';
import { ownKilobytes } from './own-memory.ts';

const HEARTBEATS_EVERY_MS = 60_000;
const TICK_MS = 100;
/** Agents whose labels change, a second: an inventory nobody touches would flatter the lists. */
const CHANGES_PER_SECOND = 10;

const gateway = await composedGateway({ clusterName: BENCH_CLUSTER, storeUrl: process.env.BENCH_STORE });
const { db, log, now } = gateway;
const announcer = createAnnouncer({ db, now, log });

const { cookie, bearer } = await gateway.addUser(Object.keys(BENCH_ROLES), 'bench');
const port = await gateway.listen();

const beats = { asked: 0, answered: 0, unknown: 0, failed: 0, slowestMs: 0 };
let timer: NodeJS.Timeout | undefined;
process.on('message', (message) => void take(message as string).catch((error: unknown) => finish(error)));
process.send?.({ type: 'ready', port, cookie, bearer });

async function take(message: string): Promise<void> {
  if (message === 'beat') beat();
  if (message === 'figures') {
    const { total } = await db
      .selectFrom('resource')
      .select((builder) => builder.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow();
    process.send?.({ type: 'figures', beats, nodes: Number(total), memoryMb: ownKilobytes() / 1024, ...threadTimes() });
  }
  if (message === 'stop') await finish();
}

/** What its threads have used of the processor, and for how long they stood in line for it. */
function threadTimes(): { usedMs: number; waitedMs: number } {
  const times = readdirSync('/proc/self/task').map((thread) =>
    readFileSync(`/proc/self/task/${thread}/schedstat`, 'utf8').split(' ').map(Number),
  );
  const sum = (column: number) => times.reduce((all, columns) => all + (columns[column] ?? 0) / 1e6, 0);
  return { usedMs: sum(0), waitedMs: sum(1) };
}

/** Evenly over the minute, as jitter spreads them. */
function beat(): void {
  const began = performance.now();
  let done = 0;
  let changed = 0;
  timer = setInterval(() => {
    const elapsed = performance.now() - began;
    for (const due = Math.floor((elapsed * BENCH_NODES) / HEARTBEATS_EVERY_MS); done < due; done += 1) {
      void follow(announcer.alive(agentOf(done % BENCH_NODES)));
    }
    for (const due = Math.floor((elapsed * CHANGES_PER_SECOND) / 1000); changed < due; changed += 1) {
      const index = (changed * 7919) % BENCH_NODES;
      const node = seededNode(BENCH_CLUSTER, index);
      void follow(
        announcer.report(agentOf(index), [{ ...node, labels: { ...node.labels, load: String(changed % 10) } }]),
      );
    }
  }, TICK_MS);
}

async function follow(answer: Promise<unknown>): Promise<void> {
  const began = performance.now();
  beats.asked += 1;
  try {
    if ((await answer) === false) beats.unknown += 1;
    beats.answered += 1;
  } catch {
    beats.failed += 1;
  }
  beats.slowestMs = Math.max(beats.slowestMs, performance.now() - began);
}

async function finish(error?: unknown): Promise<void> {
  if (error !== undefined) process.stderr.write(`${String(error)}\n`);
  clearInterval(timer);
  await announcer.close();
  await gateway.close();
  process.exit(error === undefined ? 0 : 1);
}
