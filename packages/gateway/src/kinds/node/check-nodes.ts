/**
 * Looks from time to time whether servers with plain OpenSSH answer: a few at once, the one that was not looked at for longest
 * first. One look opens a connection, reads the first line an SSH server says, and closes it; nobody signs in.
 */
import type { Duplex } from 'node:stream';
import { toResource } from '../../inventory/resource-store.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Log } from '../../platform/std/log.ts';
import type { Db } from '../../platform/storage/tables.ts';
import type { Reach } from '../../reach/reach.ts';
import type { NodeStates } from './node-states.ts';
import { nodeTarget } from './node-target.ts';

interface CheckDeps {
  db: Db;
  reach: Pick<Reach, 'dial'>;
  states: NodeStates;
  clusterName: string;
  log: Log;
  now: () => number;
}

const EVERY_MS = 30_000;
/** So old a result is looked at again. */
const STALE_MS = 10 * 60_000;
/** Of one round: 40 a minute at most, however many servers there are. */
const PER_ROUND = 20;
const AT_ONCE = 5;
const TIMEOUT_MS = 3_000;
const BANNER = 'SSH-';

export function startNodeChecks({ isOn, ...deps }: CheckDeps & { isOn: boolean }): { close(): void } {
  if (!isOn) return { close() {} };
  const closing = new AbortController();
  let running = false;
  const timer = setInterval(async () => {
    if (running) return;
    running = true;
    await checkRound(deps, closing.signal).catch((error: unknown) =>
      deps.log.debug({ error }, 'servers are not looked at'),
    );
    running = false;
  }, EVERY_MS).unref();
  return {
    close() {
      clearInterval(timer);
      closing.abort();
    },
  };
}

/** Gives back how many were looked at. */
export async function checkRound(deps: CheckDeps, signal: AbortSignal): Promise<number> {
  const { db, clusterName, now } = deps;
  const rows = await db
    .selectFrom('resource')
    .leftJoin('node_state', (join) =>
      join.onRef('node_state.cluster', '=', 'resource.cluster').onRef('node_state.id', '=', 'resource.id'),
    )
    .selectAll('resource')
    .where('resource.cluster', '=', clusterName)
    .where('resource.kind', '=', 'node')
    .where('resource.owner', '=', '')
    .where((builder) =>
      builder.or([builder('node_state.checked', 'is', null), builder('node_state.checked', '<', now() - STALE_MS)]),
    )
    .orderBy((builder) => builder.fn.coalesce('node_state.checked', builder.lit(0)))
    .limit(PER_ROUND)
    .execute();
  const left = rows.map((row) => toResource(row, 'node'));
  const look = async () => {
    for (let resource = left.shift(); resource && !signal.aborted; resource = left.shift()) {
      try {
        const who = { user: 'gatehouse', session: 'check' };
        const stream = await deps.reach.dial(nodeTarget(resource), { who, signal, timeoutMs: TIMEOUT_MS });
        await readBanner(stream);
        deps.states.answered(resource.id);
      } catch (error) {
        if (!signal.aborted) deps.states.failed(resource.id, error);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, look));
  return rows.length;
}

/** Servers say nothing else first, or only a few lines; what says more is none. */
const MAX_READ = 4_096;

function readBanner(stream: Duplex): Promise<void> {
  return new Promise((resolve, reject) => {
    let read = '';
    const end = (error?: AppError) => {
      clearTimeout(timer);
      stream.destroy();
      if (error) reject(error);
      else resolve();
    };
    const silent = (what: string) => end(new AppError('target_unreachable', what));
    const timer = setTimeout(() => silent('it accepts connections and says nothing'), TIMEOUT_MS);
    stream.on('error', () => silent('the connection broke before it said anything'));
    stream.on('close', () => silent('it closed the connection before it said anything'));
    stream.on('data', (chunk: Buffer) => {
      read += chunk.toString('latin1');
      if (read.startsWith(BANNER) || read.includes(`\n${BANNER}`)) end();
      else if (read.length > MAX_READ) silent('it does not speak SSH');
    });
  });
}
