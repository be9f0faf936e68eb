/** What the way through the gateway costs a client of PostgreSQL: bulk, queries, connections and their end, beside a direct connection with TLS and pgbouncer in the same run. */
import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DB_STREAM } from '@gatehouse/contract/kinds/db/databases';
import { openStraightStream } from '@gatehouse/tunnel/sessions/straight-stream';
import { median, runPhases, verdict } from './bench-frame.ts';
import { ask, requirePrograms } from './bench-world.ts';
import { measureWorkbench } from './databases-workbench.ts';
import { type DatabasesWorld, type Endpoint, PROGRAMS, startWorld, timed, tool, USER } from './databases-world.ts';
import { wantedPhases } from './wanted-phases.ts';

/** On two cores, which four processes share here. */
const LIMITS = { bulk: 0.8, slow: 0.7, small: 0.8, processorMs: 0.12, kilobytes: 150, opened: 150, endMs: 2_000 };
const ROUNDS = 3;
const SECONDS = 3;
const ROWS = 1_000_000;
const CONNECTIONS = 1_000;
const AT_ONCE = 20;

const PHASES = {
  bulk: measureBulk,
  slow: measureSlow,
  small: measureSmall,
  workbench: measureWorkbench,
  connections: measureConnections,
};
const wanted = wantedPhases(PHASES);
requirePrograms(PROGRAMS);
// The certificate of the gateway is one of this run's own.
process.removeAllListeners('warning');
process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
let folder = '';
await runPhases(
  'databases',
  async (given) => {
    folder = given;
    const world = await startWorld(folder);
    const rows = `generate_series(1, ${ROWS}) n`;
    const big = `create table big as select n as id, md5(n::text) as a, md5((n+1)::text) as b, now() as at from ${rows}`;
    await tool(world.direct, 'psql', '-Xqc', big, '-c', 'create unlogged table copied (like big)');
    await tool(world.direct, 'pgbench', '-i', '-q', '-s', '1');
    return world;
  },
  wanted.map((name) => PHASES[name]),
);

/** In turns, so that whatever else runs on the machine meets all. Gives each as a share of the first; more is better. */
async function inTurns(
  what: string,
  endpoints: readonly Endpoint[],
  rate: (endpoint: Endpoint) => Promise<number>,
): Promise<number[]> {
  for (const endpoint of endpoints) await rate(endpoint);
  const rates: number[][] = endpoints.map(() => []);
  for (let round = 0; round < ROUNDS; round++)
    for (const [at, endpoint] of endpoints.entries()) rates[at]?.push(await rate(endpoint));
  const shares = endpoints.map((_, at) => median(rates[at]!.map((value, round) => value / rates[0]![round]!)));
  const told = endpoints.map(({ name }, at) => `${name} ${median(rates[at]!).toFixed(2)} (${shares[at]!.toFixed(2)})`);
  console.log(`     ${what}: ${told.join(', ')}`);
  return shares;
}

async function measureBulk({ direct, bouncer, tunnel, native }: DatabasesWorld): Promise<void> {
  const data = join(folder, 'big.copy');
  await tool(direct, 'psql', '-Xqc', `\\copy big to '${data}'`);
  const psql =
    (...args: string[]) =>
    async (endpoint: Endpoint) =>
      1_000 / (await timed(endpoint, 'psql', '-Xq', ...args));
  const kinds: [string, (endpoint: Endpoint) => Promise<number>][] = [
    ['copy out', psql('-o', '/dev/null', '-c', 'copy big to stdout')],
    ['select', psql('-At', '-o', '/dev/null', '-c', 'select * from big')],
    ['copy in', psql('-c', 'truncate copied', '-c', `\\copy copied from '${data}'`)],
  ];
  for (const [what, rate] of kinds) {
    const all = [direct, bouncer, tunnel, native];
    const shares = await inTurns(`${what}, a million rows, times a second`, all, rate);
    for (const at of [2, 3]) {
      const [name, share] = [all[at]?.name, shares[at] ?? 0];
      verdict(`${what}, ${name}: ${share.toFixed(2)} of direct (at least ${LIMITS.bulk})`, share >= LIMITS.bulk);
    }
  }
}

function pgbench(script: string, clients: number, protocol = 'simple') {
  const file = join(folder, 'script.sql');
  return async (endpoint: Endpoint) => {
    writeFileSync(file, script);
    const args = ['-n', '-f', file, '-c', String(clients), '-j', '1', '-T', String(SECONDS), '-M', protocol];
    return Number(/tps = ([\d.]+)/.exec(await tool(endpoint, 'pgbench', ...args))?.[1]);
  };
}

async function measureSlow({ direct, bouncer, tunnel, native }: DatabasesWorld): Promise<void> {
  for (const clients of [1, 8]) {
    const rate = pgbench('select pg_sleep(0.001);\n', clients);
    const all = [direct, bouncer, tunnel, native];
    const shares = await inTurns(`1 ms, ${clients} connections, a second`, all, rate);
    for (const at of [2, 3]) {
      const [name, share] = [all[at]?.name, shares[at] ?? 0];
      verdict(
        `queries of 1 ms, ${clients} at once, ${name}: ${share.toFixed(2)} of direct (at least ${LIMITS.slow})`,
        share >= LIMITS.slow,
      );
    }
  }
}

/** Beside pgbouncer stands the native door: the tunnel has a second process of ours in it, whose cost is the client's. */
async function measureSmall({ direct, bouncer, relay, tunnel, native, gateway }: DatabasesWorld): Promise<void> {
  const script = '\\set aid random(1, 100000)\nselect abalance from pgbench_accounts where aid = :aid;\n';
  for (const protocol of ['simple', 'prepared']) {
    const rate = pgbench(script, 8, protocol);
    const all = [direct, bouncer, tunnel, native];
    const [, beside = 1, , own = 0] = await inTurns(`small, ${protocol}, 8 connections, a second`, all, rate);
    const share = own / beside;
    verdict(`small ${protocol}: ${share.toFixed(2)} of pgbouncer (at least ${LIMITS.small})`, share >= LIMITS.small);
    const costOf = async (endpoint: Endpoint, child: ChildProcess) => {
      const used = async () => (await ask(child, 'processor')).microseconds ?? 0;
      const before = await used();
      const done = (await rate(endpoint)) * SECONDS;
      return ((await used()) - before) / done / 1_000;
    };
    await rate(relay.endpoint);
    const bare = await costOf(relay.endpoint, relay.child);
    console.log(
      `     small ${protocol}, a relay that only passes bytes on: ${bare.toFixed(3)} ms of its processor each`,
    );
    for (const endpoint of [tunnel, native]) {
      const cost = await costOf(endpoint, gateway.child);
      const words = `small ${protocol}, ${endpoint.name}: ${cost.toFixed(3)} ms of the gateway's processor each`;
      verdict(`${words} (at most ${LIMITS.processorMs})`, cost <= LIMITS.processorMs);
    }
  }
}

/** What each costs while it rests, how many come in a second, and how soon all of them are gone. */
async function measureConnections({ gateway, postgres }: DatabasesWorld): Promise<void> {
  const startup = Buffer.from(`\0\0\0\0\0\x03\0\0user\0${USER}\0database\0${postgres.database}\0\0`, 'latin1');
  startup.writeUInt32BE(startup.length);
  const { origin, token, child } = gateway;
  const options = { origin, token, door: DB_STREAM, clusterId: 'bench', name: 'shop', userAgent: 'bench' };
  const over: Promise<{ at: number; said: string }>[] = [];
  const open = async () => {
    const stream = await openStraightStream({ ...options, query: { dbUser: USER, dbName: '' } });
    if (!stream) throw new Error('no stream is spoken there');
    const { promise, resolve } = Promise.withResolvers<{ at: number; said: string }>();
    const { promise: isReady, resolve: ready, reject } = Promise.withResolvers<void>();
    let said = '';
    stream.on('error', reject);
    stream.on('data', (piece: Buffer) => {
      said = (said + piece.toString('latin1')).slice(-300);
      if (said.endsWith('Z\0\0\0\x05I')) ready();
    });
    stream.on('close', () => {
      reject(new Error(`closed before it was ready: ${said}`));
      resolve({ at: performance.now(), said });
    });
    stream.on('end', () => stream.end());
    stream.write(startup);
    await isReady;
    over.push(promise);
  };
  for (let at = 0; at < AT_ONCE; at++) await open();
  await sleep(1_000);
  const before = (await ask(child, 'memory')).kilobytes ?? 0;
  const began = performance.now();
  let left = CONNECTIONS;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (left-- > 0) await open();
    }),
  );
  const opened = CONNECTIONS / ((performance.now() - began) / 1_000);
  await sleep(2_000);
  const each = ((await ask(child, 'memory')).kilobytes! - before) / CONNECTIONS;
  verdict(`opened: ${opened.toFixed(0)} a second (at least ${LIMITS.opened})`, opened >= LIMITS.opened);
  verdict(`at rest: ${each.toFixed(0)} KB each (at most ${LIMITS.kilobytes})`, each <= LIMITS.kilobytes);
  const locked = performance.now();
  await ask(child, 'lock');
  const ends = await Promise.all(over);
  const times = ends.map(({ at }) => at - locked).sort((a, b) => a - b);
  const p99 = times[Math.floor(times.length * 0.99)] ?? 0;
  const told = ends.filter(({ said }) => said.includes('57P01')).length;
  verdict(
    `${ends.length} ended by a lock: p99 ${p99.toFixed(0)} ms (at most ${LIMITS.endMs}), ${told} were told why`,
    p99 <= LIMITS.endMs && told === ends.length,
  );
}
