/**
 * The echo of a key while others search the log of the same gateway: people at a terminal must not notice.
 * `node bench/echo-while-searching.bench.ts [EVENTS]`
 */
import { join } from 'node:path';
import { eventRoutes } from '@gatehouse/contract/audit/search';
import { pathFor, queryString } from '@gatehouse/contract/wire/route';
import { localSend } from '@gatehouse/gateway/doors/local-socket/local-send';
import { silentLog } from '@gatehouse/gateway/platform/std/log';
import { openStorage } from '@gatehouse/gateway/platform/storage/open-storage';
import { makeOsUsers } from '@gatehouse/testkit/os-users';
import { FIRST_TIME, fillSqlite, MONTH_MS } from './audit-events.ts';
import { atPrompt, echoes, gatewayLine } from './terminal-line.ts';
import { OPENSSH, startTarget, startWorld } from './terminal-world.ts';

const EVENTS = Number(process.argv[2] ?? 1_000_000);
const KEYS = 400;
const SEARCHERS = 4;
const LIMIT_MS = 20;

const users = await makeOsUsers(1);
const login = users.names[0] as string;
const target = await startTarget(login);
let dataDir = '';
const world = await startWorld({
  target,
  login,
  async prepare(folder) {
    dataDir = folder;
    const storage = await openStorage({ dataDir, log: silentLog, now: Date.now });
    await storage.close();
    fillSqlite(join(dataDir, 'gatehouse.db'), EVENTS, () => {});
  },
});
const at = (times: readonly number[], part: number) =>
  [...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * part))] ?? Number.NaN;

const range = { from: new Date(FIRST_TIME).toISOString(), to: new Date(FIRST_TIME + MONTH_MS).toISOString() };
const questions = [
  [eventRoutes.search, { limit: '5000' }],
  [eventRoutes.search, { limit: '100', search: 'kube*' }],
  [eventRoutes.search, { limit: '5000', search: 'select' }],
  [eventRoutes.counts, { buckets: '60' }],
] as const;

let searching = true;
let searches = 0;
async function search(first: number): Promise<void> {
  const send = localSend(dataDir);
  for (let turn = first; searching; turn += 1) {
    const [route, query] = questions[turn % questions.length]!;
    const url = pathFor(route.path, { clusterId: '-current-' }) + queryString({ ...range, ...query });
    const { status, text } = await send({ method: 'GET', url });
    if (status !== 200) throw new Error(text);
    searches += 1;
  }
}

const line = await atPrompt(gatewayLine(world.tab, OPENSSH, login));
const alone = await echoes(line, KEYS);
const began = performance.now();
const searchers = Array.from({ length: SEARCHERS }, (_, index) => search(index));
const beside = await echoes(line, KEYS);
const seconds = (performance.now() - began) / 1000;
searching = false;
await Promise.all(searchers);
line.close();
await line.ended;
await world.stop();
await target.stop();
await users.remove();

const tell = (times: readonly number[]) => `p50 ${at(times, 0.5).toFixed(2)} p99 ${at(times, 0.99).toFixed(2)}`;
const p99 = at(beside, 0.99);
console.log(`echo of a key with ${EVENTS} events in the log, ms`);
console.log(`  alone                        ${tell(alone)}`);
console.log(`  beside ${(searches / seconds).toFixed(0)} searches a second     ${tell(beside)}   at most ${LIMIT_MS}`);
process.exitCode = p99 <= LIMIT_MS ? 0 : 1;
