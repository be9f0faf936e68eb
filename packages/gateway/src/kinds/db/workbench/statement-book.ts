/** What people ran at workbenches, and what they keep there by a name: each sees their own, and nobody else's. */
import { randomUUID } from 'node:crypto';
import type { DbProtocol } from '@gatehouse/contract/kinds/db/db-address';
import {
  type EditorReply,
  type EditorRequest,
  type KeptStatement,
  keptStatement,
} from '@gatehouse/contract/kinds/db/editor';
import { parseJson } from '@gatehouse/contract/std/parse-json';
import { AppError, notFound } from '../../../platform/std/app-error.ts';
import type { Db } from '../../../platform/storage/tables.ts';
import { maskSecrets } from '../engine/mask-secrets.ts';
import { quotingOf } from '../quoting-of.ts';

/** Of one person at one database; the oldest make room. */
const MAX_HISTORY = 500;
const MAX_SAVED = 200;
const AT_ONCE = 50;
const MAX_KEPT_CHARACTERS = 16 * 1024;
const MAX_SAVED_CHARACTERS = 128 * 1024;

interface Whose {
  user: string;
  database: string;
}

type BookRequest = Extract<EditorRequest, { type: 'history' | 'saved' | 'save' | 'forget' }>;
type Unnamed<Reply> = Reply extends { id: number } ? Omit<Reply, 'id'> : never;
type BookReply = Unnamed<Extract<EditorReply, { type: 'statements' | 'done' }>>;

export interface StatementBook {
  answer(whose: Whose, request: BookRequest): Promise<BookReply>;
  ran(whose: Whose & { protocol: DbProtocol }, statement: KeptStatement): Promise<void>;
}

export function createStatementBook({ db, now }: { db: Db; now: () => number }): StatementBook {
  const of = ({ user, database }: Whose) =>
    db.selectFrom('own_statement').where('user', '=', user).where('database', '=', database);

  /** What ran is told to the page before it is written here: who asks then waits for it. */
  const writing = new Set<Promise<void>>();

  async function history(
    whose: Whose,
    { before, search }: Extract<BookRequest, { type: 'history' }>,
  ): Promise<BookReply> {
    await Promise.allSettled(writing);
    let query = of(whose).where('name', 'is', null);
    if (before !== undefined) query = query.where('at', '<', before);
    const rows = await query.selectAll().orderBy('at', 'desc').limit(MAX_HISTORY).execute();
    const wanted = search?.toLowerCase() ?? '';
    const found = rows.filter(({ sql }) => sql.toLowerCase().includes(wanted));
    const shown = found.slice(0, AT_ONCE);
    const last = found.length > AT_ONCE ? shown.at(-1) : undefined;
    return { type: 'statements', statements: shown.map(told), ...(last ? { before: last.at } : {}) };
  }

  async function save(whose: Whose, { name, sql }: Extract<BookRequest, { type: 'save' }>): Promise<BookReply> {
    if (sql.length > MAX_SAVED_CHARACTERS) throw new AppError('bad_request', 'it is too long to be kept');
    await db.transaction().execute(async (tx) => {
      const named = tx
        .deleteFrom('own_statement')
        .where('user', '=', whose.user)
        .where('database', '=', whose.database);
      await named.where('name', '=', name).execute();
      const { count } = await tx
        .selectFrom('own_statement')
        .where('user', '=', whose.user)
        .where('database', '=', whose.database)
        .where('name', 'is not', null)
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      if (Number(count) >= MAX_SAVED) throw new AppError('conflict', `${MAX_SAVED} are kept already: forget one first`);
      await tx
        .insertInto('own_statement')
        .values({ id: randomUUID(), ...whose, name, sql, at: now(), told: '{}' })
        .execute();
    });
    return DONE;
  }

  async function forget(whose: Whose, { what, name }: Extract<BookRequest, { type: 'forget' }>): Promise<BookReply> {
    const gone = db.deleteFrom('own_statement').where('user', '=', whose.user).where('database', '=', whose.database);
    if (what === 'history') await gone.where('name', 'is', null).execute();
    else {
      const { numDeletedRows } = await gone.where('name', '=', name ?? '').executeTakeFirst();
      if (Number(numDeletedRows) === 0) throw notFound('saved statement', name ?? '');
    }
    return DONE;
  }

  async function write(
    { user, database, protocol }: Whose & { protocol: DbProtocol },
    { at, sql, ...outcome }: KeptStatement,
  ): Promise<void> {
    const kept = maskSecrets(sql, quotingOf(protocol)).text.slice(0, MAX_KEPT_CHARACTERS);
    await db
      .insertInto('own_statement')
      .values({ id: randomUUID(), user, database, name: null, sql: kept, at, told: JSON.stringify(outcome) })
      .execute();
    const oldest = await of({ user, database })
      .where('name', 'is', null)
      .select('at')
      .orderBy('at', 'desc')
      .offset(MAX_HISTORY)
      .limit(1)
      .executeTakeFirst();
    if (!oldest) return;
    await db
      .deleteFrom('own_statement')
      .where('user', '=', user)
      .where('database', '=', database)
      .where('name', 'is', null)
      .where('at', '<=', oldest.at)
      .execute();
  }

  return {
    async answer(whose, request) {
      if (request.type === 'history') return history(whose, request);
      if (request.type === 'save') return save(whose, request);
      if (request.type === 'forget') return forget(whose, request);
      const rows = await of(whose).where('name', 'is not', null).selectAll().orderBy('name').execute();
      return { type: 'statements', statements: rows.map(told) };
    },

    ran(whose, statement) {
      const written = write(whose, statement).finally(() => writing.delete(written));
      writing.add(written);
      return written;
    },
  };
}

const DONE: BookReply = {
  type: 'done',
  statement: 0,
  left: 0,
  tag: '',
  rows: 0,
  ms: { server: 0, gateway: 0 },
  more: false,
  transaction: 'none',
};

function told({
  at,
  name,
  sql,
  told: outcome,
}: {
  at: number;
  name: string | null;
  sql: string;
  told: string;
}): KeptStatement {
  const rest = keptStatement.partial().safeParse(parseJson(outcome)).data ?? {};
  return { ...rest, at: Number(at), sql, ...(name === null ? {} : { name }) };
}
