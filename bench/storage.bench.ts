/** What the store's threads and the query builder cost: our store beside bare node:sqlite, taking turns in the same run. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openStorage } from '@gatehouse/gateway/platform/storage/open-storage';

const ROUNDS = 3;
const SLICE_MS = 150;
const AT_ONCE = 32;
const ROWS = 5_000;

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
const ignore = () => {};
const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
const storage = await openStorage({ dataDir: join(folder, 'ours'), log, now: Date.now });
const { db } = storage;
const bare = new DatabaseSync(join(folder, 'bare.db'));
bare.exec(
  'pragma journal_mode=wal; pragma synchronous=full; create table meta (key text primary key, value text not null)',
);
const bareInsert = bare.prepare('insert into meta (key, value) values (?, ?)');
const bareRead = bare.prepare('select * from meta where key = ?');
const barePage = bare.prepare('select * from meta where key > ? order by key limit 1000');

const value = 'v'.repeat(300);
let serial = 0;
const nextKey = () => `k${serial++}`;
const someKey = () => `row${Math.floor(Math.random() * ROWS)}`;
const newRows = () => Array.from({ length: 100 }, () => ({ key: nextKey(), value }));

const insertOurs = () => db.insertInto('meta').values({ key: nextKey(), value }).execute();
const readOurs = () => db.selectFrom('meta').selectAll().where('key', '=', someKey()).executeTakeFirst();
const pageOurs = () => db.selectFrom('meta').selectAll().where('key', '>', 'row').orderBy('key').limit(1000).execute();
const inTransaction = () =>
  db.transaction().execute(async (tx) => void (await tx.insertInto('meta').values(newRows()).execute()));
const atOnce = (work: () => Promise<unknown>) => () => Promise.all(Array.from({ length: AT_ONCE }, work));

function bareTransaction() {
  bare.exec('begin immediate');
  for (const row of newRows()) bareInsert.run(row.key, row.value);
  bare.exec('commit');
}

interface Figure {
  name: string;
  bare: () => unknown;
  ours: () => Promise<unknown>;
  /** How many operations one call of `ours` is. */
  perCall?: number;
}

const FIGURES: Figure[] = [
  { name: 'point read, one after another', bare: () => bareRead.get(someKey()), ours: readOurs },
  {
    name: `point read, ${AT_ONCE} at once`,
    bare: () => bareRead.get(someKey()),
    ours: atOnce(readOurs),
    perCall: AT_ONCE,
  },
  { name: 'page of 1000 rows', bare: () => barePage.all('row'), ours: pageOurs },
  { name: 'durable insert, one after another', bare: () => bareInsert.run(nextKey(), value), ours: insertOurs },
  {
    name: `durable insert, ${AT_ONCE} at once`,
    bare: () => bareInsert.run(nextKey(), value),
    ours: atOnce(insertOurs),
    perCall: AT_ONCE,
  },
  { name: 'durable transaction of 100 inserts', bare: bareTransaction, ours: inTransaction },
];

try {
  await fill();
  console.log(`${'per second'.padEnd(38)}${'bare'.padStart(10)}${'ours'.padStart(10)}${'ours/bare'.padStart(12)}`);
  for (const figure of FIGURES) {
    const rates = await measure(figure);
    const ratio = (rates.ours / rates.bare).toFixed(2);
    console.log(figure.name.padEnd(38) + shown(rates.bare) + shown(rates.ours) + ratio.padStart(12));
  }
} finally {
  bare.close();
  await storage.close();
  rmSync(folder, { recursive: true, force: true });
}

async function fill(): Promise<void> {
  const rows = Array.from({ length: ROWS }, (_, index) => ({ key: `row${index}`, value }));
  bare.exec('begin');
  for (const row of rows) bareInsert.run(row.key, row.value);
  bare.exec('commit');
  for (let at = 0; at < ROWS; at += 500)
    await db
      .insertInto('meta')
      .values(rows.slice(at, at + 500))
      .execute();
}

/** The median of several short turns each, so that a busy moment of the machine hits both. */
async function measure({ bare: bareCall, ours, perCall = 1 }: Figure): Promise<{ bare: number; ours: number }> {
  const rates = { bare: [] as number[], ours: [] as number[] };
  await ours();
  for (let round = 0; round < ROUNDS; round++) {
    rates.bare.push(await rateOf(async () => void bareCall(), 1));
    rates.ours.push(await rateOf(ours, perCall));
  }
  return { bare: median(rates.bare), ours: median(rates.ours) };
}

async function rateOf(call: () => Promise<unknown>, perCall: number): Promise<number> {
  const start = performance.now();
  let calls = 0;
  while (performance.now() - start < SLICE_MS) {
    await call();
    calls += perCall;
  }
  return (calls * 1000) / (performance.now() - start);
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

function shown(rate: number): string {
  return Math.round(rate).toLocaleString('en').padStart(10);
}
