import { createHash } from 'node:crypto';
import { duplexPair } from 'node:stream';
import { expect, test } from 'vitest';
import type { EventStream } from '../../platform/audit/event-stream.ts';
import { silentLog } from '../../platform/std/log.ts';
import type { Session } from '../../sessions/host/session-store.ts';
import { message } from './engine/postgres/messages.ts';
import { passOn } from './engine/postgres/pass-on.ts';
import { tellMongodb } from './tell-mongodb.ts';
import { tellMysql } from './tell-mysql.ts';
import { tellPostgres } from './tell-postgres.ts';
import { tellStatements } from './tell-statements.ts';

const RESOURCE = { cluster: 'c', kind: 'db', id: 'shop', name: 'shop', owner: '', labels: {}, spec: {} };
const SESSION = {
  ...{ id: 's', cluster: 'c', user: 'ann', signInId: 'i', address: '10.0.0.1', request: 'r', created: 0 },
  ...{ size: { cols: 0, rows: 0 }, agent: undefined, gateway: 'g', seen: 0, participants: [], mfa: false },
  ...{ recorded: false, begun: 0, connected: 0, interactive: true, command: undefined, ended: undefined },
  action: { type: 'connect', kind: 'db', dbUser: 'app', dbName: 'shop', resource: RESOURCE },
} as unknown as Session;

/** A store that writes when it is let. */
function world() {
  const waiting: (() => void)[] = [];
  const told: Record<string, unknown>[] = [];
  let written = 0;
  const write = (_type: unknown, fields: Record<string, unknown>) =>
    new Promise<void>((resolve) => {
      told.push(fields);
      waiting.push(() => {
        written += 1;
        resolve();
      });
    });
  const telling = tellStatements({
    ...{ events: { write } as unknown as Pick<EventStream, 'write'>, session: SESSION, door: 'tunnel', backend: 7 },
    ...{ recorder: undefined, values: 'kept', log: silentLog, now: () => 0, failed() {} },
  });
  return {
    telling,
    waiting,
    told,
    written: () => written,
    /** Until nothing is left. */
    async writeAll() {
      while (waiting.length > 0) {
        for (const each of waiting.splice(0)) each();
        await new Promise(setImmediate);
      }
    },
  };
}

test('a session gives the store a few events at a time, and the client waits while more are unwritten', async () => {
  const { telling, waiting, written, writeAll } = world();
  const [client, clientSide] = duplexPair();
  const [server, serverSide] = duplexPair();
  let passedOn = 0;
  server.on('data', (piece: Buffer) => {
    passedOn += piece.length;
  });
  client.resume();
  const close = message('C', Buffer.from('S'), 'one');
  const piece = Buffer.concat(Array.from({ length: 100 }, () => close));
  const session = passOn({
    ...{ client: clientSide, first: Buffer.alloc(0), ownKey: undefined, teller: tellPostgres(telling) },
    ...{ cancel: async () => {} },
    signedIn: {
      ...{ server: serverSide, welcome: Buffer.alloc(0), cancelKey: undefined, standardStrings: true },
      ...{ backend: undefined, version: '15', rest: Buffer.alloc(0) },
    },
  });
  for (let count = 0; count < 100; count += 1) {
    client.write(piece);
    await new Promise(setImmediate);
  }

  expect(waiting).toHaveLength(256);
  expect(passedOn / close.length).toBeLessThan(2_000);
  await expect
    .poll(async () => {
      await writeAll();
      return [written(), passedOn / close.length];
    })
    .toEqual([10_000, 10_000]);
  void session.end('over');
});

test('the end of a session waits until everything is written', async () => {
  const { telling, waiting, written, writeAll } = world();
  const teller = tellPostgres(telling);
  for (let count = 0; count < 600; count += 1) teller.asked({ what: 'close', statement: 'one', portal: '' }, '');
  const closed = telling.close();
  expect(waiting).toHaveLength(256);
  await writeAll();
  await closed;

  expect(written()).toBe(600);
});

const WELL = { ok: true, tag: '', code: '', error: '', rows: 0, bytes: 0, ms: 0 };

test('what an event cuts off is told by its length and a hash, whatever its protocol', () => {
  const { telling, told } = world();
  const text = `{"insert": "${'x'.repeat(9_000)}"}`;
  tellMongodb(telling).answered('insert', WELL, { text, length: text.length }, 0);
  tellPostgres(telling).asked({ what: 'query', query: { text, length: text.length } }, text);
  tellPostgres(telling).answered({ what: 'query', query: { text: '', length: 0 } }, WELL, text);

  const sha256 = createHash('sha256').update(text).digest('hex');
  const statement = expect.objectContaining({ length: text.length, sha256 });
  expect(told).toMatchObject([
    { db_query: text.slice(0, 8_192), statement },
    { db_query: text.slice(0, 8_192), statement },
  ]);
});

test('no hash is told of a text that holds a secret', () => {
  const { telling, told } = world();
  const text = `alter role a password '***' /* ${'x'.repeat(9_000)} */`;
  tellPostgres(telling).asked({ what: 'query', query: { text, length: text.length, hasSecret: true } }, text);
  tellPostgres(telling).answered({ what: 'query', query: { text: '', length: 0 } }, WELL, text);

  expect(told).toHaveLength(1);
  expect(JSON.stringify(told)).not.toContain('sha256');
});

test('statements that differ only behind what an event shows are not told as one', () => {
  const { telling, told } = world();
  const teller = tellMongodb(telling);
  for (let n = 0; n < 150; n += 1) {
    const text = `{"insert": "${'x'.repeat(9_000)}", "n": ${n}}`;
    teller.answered('insert', WELL, { text, length: text.length }, 0);
  }
  expect(told).toHaveLength(150);
});

test('runs of one prepared statement with other values are not told as one', () => {
  const { telling, told } = world();
  const teller = tellMysql(telling);
  for (let n = 0; n < 150; n += 1) {
    const command = { what: 'execute', statement: 1, values: [String(n)] } as const;
    teller.asked(command, 'insert into t values (?)');
    teller.answered({ ...command, values: [] }, WELL, 'insert into t values (?)');
  }
  expect(told).toHaveLength(150);
});

/** Runs one of them hundreds of times and the other once in between; gives how often the other is told of. */
function hidden(often: [number, string[], string], once: [number, string[], string]): number {
  const { telling, told } = world();
  const teller = tellMysql(telling);
  const run = ([statement, values, query]: [number, string[], string]) => {
    const command = { what: 'execute', statement, values } as const;
    teller.asked(command, query);
    teller.answered({ ...command, values: [] }, WELL, query);
  };
  for (let n = 0; n < 300; n += 1) run(n === 200 ? once : often);
  void telling.close();
  return told.filter((fields) => fields.statement_id === once[0] && String(fields.parameters) === String(once[1]))
    .length;
}

test('a run that is put together to look like others is told by itself', () => {
  // Written behind each other, values and text of both are the same.
  const removes = 'delete from t where ? is not null -- ';
  expect(hidden([1, ['x'], `select ?, '\n${removes}'`], [2, ["x\nselect ?, '"], `${removes}'`])).toBe(1);
  expect(hidden([1, ['a', 'b'], 'select ?, ?'], [1, ['a\0b'], 'select ?, ?'])).toBe(1);
  // Of prepared texts only the beginning is known when they run.
  const long = `select /* ${'x'.repeat(9_000)}`.slice(0, 8_192);
  expect(hidden([1, [], long], [2, [], long])).toBe(1);
});

test('nor does a portal hide among others whose text begins alike', () => {
  const { telling, told } = world();
  const teller = tellPostgres(telling);
  const long = `select /* ${'x'.repeat(9_000)}`.slice(0, 8_192);
  for (let n = 0; n < 300; n += 1)
    teller.answered({ what: 'execute', portal: n === 200 ? 'other' : '' }, WELL, long, undefined);
  void telling.close();

  expect(told.filter((fields) => fields.portal_name === 'other')).toHaveLength(1);
});

test('of what is cut short while much waits for answers, length and hash are told', () => {
  const { telling, told } = world();
  const teller = tellPostgres(telling);
  const text = `select 1 /* ${'x'.repeat(300)} */; drop table t`;
  const fill = 'y'.repeat(8_192);
  for (let n = 0; n < 129; n += 1) teller.asked({ what: 'query', query: { text: fill, length: fill.length } }, fill);
  teller.asked({ what: 'query', query: { text, length: text.length } }, '');
  for (let n = 0; n < 130; n += 1)
    teller.answered({ what: 'query', query: { text: '', length: 0 } }, WELL, n < 129 ? fill : text.slice(0, 256));

  const sha256 = createHash('sha256').update(text).digest('hex');
  expect(told.at(-1)).toMatchObject({ db_query: text.slice(0, 256), statement: { length: text.length, sha256 } });
});
