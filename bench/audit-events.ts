/** Fills a log with made-up events, chained as real ones are: for measuring, so written past the gateway's threads. */
import { DatabaseSync } from 'node:sqlite';
import { appendEvents } from '@gatehouse/gateway/platform/audit/append-events';
import { eventHash, FIRST_HASH } from '@gatehouse/gateway/platform/audit/chain';
import { eventWords } from '@gatehouse/gateway/platform/storage/event-words';
import type { Db } from '@gatehouse/gateway/platform/storage/tables';

export const FIRST_TIME = Date.UTC(2026, 0, 1);
export const MONTH_MS = 30 * 86_400_000;
const PER_COMMIT = 5_000;

const TYPES = [
  ['user.login', 'T1000I', 'info', 'user'],
  ['session.start', 'T2000I', 'info', 'node'],
  ['session.end', 'T2004I', 'info', 'node'],
  ['session.command', 'T4000I', 'info', 'node'],
  ['db.session.query', 'TDB02I', 'info', 'db'],
  ['app.session.request', 'T2009I', 'info', 'app'],
  ['kube.request', 'T3009I', 'info', 'kube_cluster'],
  ['session.rejected', 'T1006W', 'warning', 'node'],
  ['auth', 'T3007W', 'warning', 'user'],
  ['exec', 'T3002I', 'info', 'node'],
  ['sftp', 'TS002I', 'info', 'node'],
  ['exec', 'T3002E', 'error', 'node'],
] as const;

const WORDS =
  'select from where update orders customers kubectl get pods deploy restart nginx systemctl status payments insert into values tail grep error log backup restore reboot docker compose index analytics report monthly'.split(
    ' ',
  );

/** The same events every time. */
export function madeUpEvents(count: number) {
  let seed = 1;
  const below = (limit: number) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 2 ** 32) * limit);
  };
  const hex = (length: number) => {
    let text = '';
    while (text.length < length)
      text += below(2 ** 28)
        .toString(16)
        .padStart(7, '0');
    return text.slice(0, length);
  };
  const uuid = (time: number) => {
    const at = time.toString(16).padStart(12, '0');
    return `${at.slice(0, 8)}-${at.slice(8)}-7${hex(3)}-8${hex(3)}-${hex(12)}`;
  };
  let session = uuid(FIRST_TIME);
  let hash = FIRST_HASH;
  return (index: number) => {
    const time = FIRST_TIME + Math.floor((index * MONTH_MS) / count);
    if (index % 20 === 0) session = uuid(time);
    const [event, code, severity, kind] = TYPES[Math.min(below(12), below(12))]!;
    const user = `user-${below(below(500) + 1)}`;
    const address = `10.${below(4)}.${below(256)}.${below(256)}`;
    const name = `${kind}-${below(2_000)}`;
    let query = '';
    for (let words = 6 + below(10); words > 0; words--) query += `${WORDS[below(WORDS.length)]} `;
    if (index % 5_000 === 7) query += `needle${below(10)}`;
    const data = JSON.stringify({
      'addr.local': '10.0.0.1:3080',
      'addr.remote': address,
      login: 'root',
      namespace: 'default',
      proto: 'ssh',
      query,
      server_hostname: name,
      sid: session,
      success: true,
      user,
    });
    const row = {
      uid: uuid(time),
      time,
      event,
      code,
      severity,
      user,
      sign_in: `sign-in-${below(5_000)}`,
      session,
      resource_kind: kind,
      resource_name: name,
      address,
      cluster: 'localhost',
      data,
      chain: 'gateway',
      chain_index: index + 1,
      prev_hash: hash,
    };
    hash = eventHash(row);
    return { ...row, hash };
  };
}

/** The store must be migrated and closed. */
export function fillSqlite(file: string, count: number, tell: (done: number) => void): void {
  const database = new DatabaseSync(file);
  database.exec('pragma journal_mode=wal; pragma synchronous=off; pragma cache_size=-500000; pragma temp_store=memory');
  const make = madeUpEvents(count);
  const columns = Object.keys(madeUpEvents(count)(0));
  const insert = database.prepare(
    `insert into event (id, ${columns.join(', ')}) values (?${', ?'.repeat(columns.length)})`,
  );
  const index = database.prepare('insert into event_words (rowid, words) values (?, ?)');
  let hash = FIRST_HASH;
  for (let at = 0; at < count; ) {
    database.exec('begin');
    for (const end = Math.min(at + PER_COMMIT, count); at < end; at++) {
      const row = make(at);
      hash = row.hash;
      insert.run(at + 1, ...Object.values(row));
      index.run(at + 1, eventWords(row, JSON.parse(row.data)).join(' '));
    }
    database.exec('commit');
    if (at % 100_000 === 0) tell(at);
  }
  database
    .prepare('insert or replace into event_chain (chain, length, hash) values (?, ?, ?)')
    .run('gateway', count, hash);
  database.exec('pragma wal_checkpoint(truncate)');
  database.close();
}

export async function fillPostgres(db: Db, count: number, tell: (done: number) => void): Promise<void> {
  const make = madeUpEvents(count);
  for (let at = 0; at < count; ) {
    const rows: ReturnType<typeof make>[] = [];
    for (const end = Math.min(at + PER_COMMIT, count); at < end; at++) rows.push(make(at));
    await db.transaction().execute((tx) => appendEvents(tx, { chain: 'gateway' }, rows));
    tell(at);
  }
}
