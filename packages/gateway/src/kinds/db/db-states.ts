/** What is learned of databases whenever they are dialled and signed in to: when that was, their version, and when their certificates end. */
import { createHash } from 'node:crypto';
import { TLSSocket } from 'node:tls';
import type { DatabaseDetails } from '@gatehouse/contract/kinds/db/databases';
import { printable } from '@gatehouse/contract/std/printable';
import { type Selectable, sql } from 'kysely';
import { publish } from '../../platform/change-feed/publish.ts';
import type { Log } from '../../platform/std/log.ts';
import { writeJson } from '../../platform/storage/json.ts';
import { sqlIn } from '../../platform/storage/sql-in.ts';
import type { Db, Tables } from '../../platform/storage/tables.ts';
import type { ServerTerms } from './engine/server-terms.ts';
import { dbTargetOf, type ListedDb } from './listed-db.ts';

const DAY_MS = 86_400_000;
/** Somebody has to renew it, and is told so. */
export const WARNED_MS = 14 * DAY_MS;
/** What is as it was is written no more often: a program may connect a hundred times a second. */
const SAME_FOR_MS = 60_000;
const MAX_REMEMBERED = 10_000;
const MAX_VERSION_LENGTH = 200;
/** Of one whose certificate was seen, and where nobody has signed in. */
const NEVER = 0;

export interface LearnedAtSignIn {
  /** As the server says it. */
  version?: string;
  /** Of MySQL. */
  capabilities?: { basic: number; extended: number };
}

export interface DbStates {
  /** The same terms; what TLS by them shows is kept. */
  learning(db: ListedDb, terms: ServerTerms): ServerTerms;
  signedIn(db: ListedDb, learned: LearnedAtSignIn): void;
  /** Undefined: nothing is known of what the record says now. */
  learnedOf(db: ListedDb): Promise<DatabaseDetails['learned']>;
}

type StateRow = Selectable<Tables['db_state']>;
type Learned = Partial<Pick<StateRow, 'version' | 'capabilities' | 'certificate_end'>>;

interface StateDeps {
  db: Db;
  log: Log;
  now: () => number;
}

export function createDbStates({ db, log, now }: StateDeps): DbStates {
  /** What was written last, and when. */
  const written = new Map<string, { what: string; at: number }>();

  /** `isIn`: by who signed in. A server that shows its certificate and then refuses was not reached. */
  const note = (of: ListedDb, learned: Learned, isIn: boolean) => {
    const { cluster, id } = of.resource;
    const what = writeJson([targetOf(of), learned]);
    const key = writeJson([cluster, id, Object.keys(learned)]);
    const before = written.get(key);
    if (before?.what === what && now() - before.at < SAME_FOR_MS) return;
    if (written.size >= MAX_REMEMBERED) written.clear();
    written.set(key, { what, at: now() });
    // Nobody waits for it, and a session must not fail by it.
    keep(of, learned, isIn).catch((error: unknown) => {
      written.delete(key);
      log.debug({ error }, 'what was learned of a database could not be kept');
    });
  };

  async function keep(of: ListedDb, learned: Learned, isIn: boolean): Promise<void> {
    const { cluster, id } = of.resource;
    const target = targetOf(of);
    await db.transaction().execute(async (tx) => {
      const found = await findState(tx, of);
      const nothing = { version: '', capabilities: '', certificate_end: null, reached: NEVER };
      const seen = { ...learned, ...(isIn ? { reached: now() } : {}) };
      const row = { ...(found ?? nothing), ...seen, cluster, id, target };
      // Who signs in meanwhile writes beside this: what was not seen here stays as it is then.
      const kept = (column: keyof typeof nothing) =>
        sql`case when db_state.target = ${target} then ${sql.ref(`db_state.${column}`)} else ${nothing[column]} end`;
      const others = (Object.keys(nothing) as (keyof typeof nothing)[]).filter((column) => !(column in seen));
      await tx
        .insertInto('db_state')
        .values(row)
        .onConflict((conflict) =>
          conflict
            .columns(['cluster', 'id'])
            .doUpdateSet({ ...seen, target, ...Object.fromEntries(others.map((column) => [column, kept(column)])) }),
        )
        .execute();
      if (endsSoon(found, now()) !== endsSoon(row, now())) await publish(tx, { topic: 'alert', id });
    });
  }

  return {
    learning(of, terms) {
      const { secure, isVerified } = terms;
      // What is not checked tells nothing: anybody could show it.
      if (!secure || !isVerified) return terms;
      return {
        ...terms,
        async secure(bare, limits) {
          const inside = await secure(bare, limits);
          const until = inside instanceof TLSSocket ? certificateEnd(inside) : undefined;
          if (until !== undefined) note(of, { certificate_end: until }, false);
          return inside;
        },
      };
    },
    signedIn(of, { version, capabilities }) {
      const seen = {
        ...(version ? { version: printable(version.slice(0, MAX_VERSION_LENGTH)) } : {}),
        ...(capabilities ? { capabilities: writeJson([capabilities.basic, capabilities.extended]) } : {}),
      };
      note(of, seen, true);
    },
    async learnedOf(of) {
      const found = await findState(db, of);
      if (!found) return undefined;
      const { reached, version, certificate_end: until } = found;
      return {
        reached: reached === NEVER ? '' : new Date(reached).toISOString(),
        version,
        certificateEnds: until === null ? '' : new Date(until).toISOString(),
      };
    },
  };
}

/** What lists tell of those of one page, by their ids. */
export async function learnedOfAll(
  from: Db,
  all: readonly ListedDb[],
): Promise<ReadonlyMap<string, { reached?: string; certificateEnds?: string }>> {
  const [first] = all;
  if (!first) return new Map();
  const targets = new Map(all.map((each) => [each.resource.id, targetOf(each)]));
  const rows = await from
    .selectFrom('db_state')
    .select(['id', 'target', 'reached', 'certificate_end'])
    .where('cluster', '=', first.resource.cluster)
    .where(sqlIn(from, 'db_state.id', [...targets.keys()]))
    .execute();
  return new Map(
    rows
      .filter(({ id, target }) => targets.get(id) === target)
      .map(({ id, reached, certificate_end: until }) => [
        id,
        {
          ...(reached === NEVER ? {} : { reached: new Date(reached).toISOString() }),
          ...(until === null ? {} : { certificateEnds: new Date(until).toISOString() }),
        },
      ]),
  );
}

/** Undefined where another target was meant. */
export async function findState(from: Db, of: ListedDb): Promise<StateRow | undefined> {
  const { cluster, id } = of.resource;
  const row = await from
    .selectFrom('db_state')
    .selectAll()
    .where('cluster', '=', cluster)
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.target === targetOf(of) ? row : undefined;
}

export async function forgetState(tx: Db, { cluster, id }: { cluster: string; id: string }): Promise<void> {
  await tx.deleteFrom('db_state').where('cluster', '=', cluster).where('id', '=', id).execute();
}

function endsSoon(row: Pick<StateRow, 'certificate_end'> | undefined, now: number): boolean {
  return row !== undefined && row.certificate_end !== null && row.certificate_end <= now + WARNED_MS;
}

export function certificateEnd(inside: TLSSocket): number | undefined {
  // Of the whole certificate, names and keys would be read out for this one date, of each connection.
  const until = Date.parse(inside.getPeerX509Certificate()?.validTo ?? '');
  return Number.isNaN(until) ? undefined : until;
}

function targetOf({ spec }: ListedDb): string {
  return createHash('sha256').update(dbTargetOf(spec)).digest('base64url');
}
