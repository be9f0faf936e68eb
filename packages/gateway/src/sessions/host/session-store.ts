/** Sessions in the store: one row each, from before anything is dialled until long after the end. */
import { END_CAUSES, type EndCause } from '@gatehouse/contract/sessions/terminal-frames';
import type { Selectable } from 'kysely';
import { z } from 'zod';
import type { Connect } from '../../access/action.ts';
import type { Resource } from '../../inventory/resource-store.ts';
import { publish } from '../../platform/change-feed/publish.ts';
import { databaseNow } from '../../platform/storage/database-clock.ts';
import { readJson, writeJson } from '../../platform/storage/json.ts';
import { sqlIn } from '../../platform/storage/sql-in.ts';
import type { Db, Tables, Tx } from '../../platform/storage/tables.ts';

/** Changes of sessions: lists show them live. */
export const SESSION_TOPIC = 'session';

/** What was allowed, about the very resource that is reached. */
export type SessionAction = Connect & {
  resource: Resource;
  /** Where inside of it, as its kind writes that. */
  inside?: string;
};

export interface SessionEnd {
  cause: EndCause;
  /** For people: who ended it, or what went wrong. */
  message: string;
  exitCode?: number | undefined;
}

export interface Session {
  id: string;
  cluster: string;
  action: SessionAction;
  user: string;
  signInId: string;
  address: string;
  request: string;
  created: number;
  size: { cols: number; rows: number };
  /** The agent that holds it; undefined when the gateway itself does. */
  agent: string | undefined;
  gateway: string;
  /** Since when that gateway has it, by the database's clock. */
  seen: number;
  participants: string[];
  mfa: boolean;
  recorded: boolean;
  /** When something was first dialled for it. */
  begun: number | undefined;
  /** When its shell was there; undefined: what was dialled never answered, or let nobody in. */
  connected: number | undefined;
  /** False: a command that nobody saw on a terminal. */
  interactive: boolean;
  /** What it was opened to run, where that is not a shell. */
  command: string | undefined;
  /** A moderator is missing: its people may see nothing of it now, its recording included. */
  frozen?: boolean;
  ended: (SessionEnd & { at: number }) | undefined;
}

type Later = 'ended' | 'participants' | 'seen';
type Seldom = 'connected' | 'interactive' | 'command';
export type NewSession = Omit<Session, Later | Seldom> & Partial<Pick<Session, Seldom>>;

/** Statements have a limit of values. */
const CHANGES = 500;

const cause = z.enum(END_CAUSES);
const names = z.array(z.string());
/** Written by ourselves and checked when it was decided; here only what is reached into. */
const storedAction = z.looseObject({ type: z.literal('connect'), kind: z.string(), resource: z.looseObject({}) });

export async function insertSession(tx: Tx, session: NewSession): Promise<Session> {
  const { action, size } = session;
  const row = {
    id: session.id,
    cluster: session.cluster,
    kind: action.kind,
    resource_id: action.resource.id,
    action: writeJson(action),
    user: session.user,
    sign_in: session.signInId,
    address: session.address,
    request: session.request,
    created: session.created,
    cols: size.cols,
    rows: size.rows,
    agent: session.agent ?? '',
    gateway: session.gateway,
    seen: session.created,
    participants: writeJson([session.user]),
    mfa: session.mfa ? 1 : 0,
    recorded: session.recorded ? 1 : 0,
    begun: session.begun ?? null,
    frozen: 0,
    connected: session.connected ?? null,
    interactive: session.interactive === false ? 0 : 1,
    command: session.command ?? null,
    ended: null,
    end_cause: null,
    end_message: null,
  };
  await tx
    .insertInto('session')
    .values({ ...row, seen: databaseNow(tx) })
    .execute();
  await publish(tx, { topic: SESSION_TOPIC, id: session.id, data: { user: session.user } });
  // What was decided about, and not a copy of it for as long as it lasts.
  return sessionOf(row, action);
}

export async function findSession(db: Db, cluster: string, id: string): Promise<Session | undefined> {
  const row = await all(db, cluster).where('id', '=', id).executeTakeFirst();
  return row && toSession(row);
}

export async function findSessions(db: Db, cluster: string, ids: readonly string[]): Promise<Session[]> {
  const rows = await all(db, cluster)
    .where(sqlIn(db, 'session.id', ids))
    .execute();
  return rows.map(toSession);
}

/** Who serves them, and whether they are over: what they are with is left out, which is most of a row. */
export async function findServed(
  db: Db,
  cluster: string,
  ids: readonly string[],
): Promise<Map<string, Pick<Session, 'gateway' | 'ended'>>> {
  const rows = await db
    .selectFrom('session')
    .select(['id', 'gateway', 'ended', 'end_cause', 'end_message'])
    .where('cluster', '=', cluster)
    .where(sqlIn(db, 'session.id', ids))
    .execute();
  return new Map(rows.map((row) => [row.id, { gateway: row.gateway, ended: endOf(row) }]));
}

export async function findRequested(
  db: Db,
  { cluster, user, request }: Pick<Session, 'cluster' | 'user' | 'request'>,
): Promise<Session | undefined> {
  const row = await all(db, cluster).where('user', '=', user).where('request', '=', request).executeTakeFirst();
  return row && toSession(row);
}

/** Oldest first. */
export async function listOpenSessions(db: Db, cluster: string): Promise<Session[]> {
  const rows = await all(db, cluster).where('ended', 'is', null).orderBy('created').orderBy('id').execute();
  return rows.map(toSession);
}

/** Oldest end first. */
export async function listEndedSessions(
  db: Db,
  range: { cluster: string; from: number; to: number; after: Session | undefined; limit: number },
): Promise<Session[]> {
  const { cluster, from, to, after, limit } = range;
  const query = all(db, cluster).where('ended', '>=', from).where('ended', '<=', to);
  const at = after?.ended?.at;
  const rest =
    after === undefined || at === undefined
      ? query
      : query.where((eb) => eb.or([eb('ended', '>', at), eb.and([eb('ended', '=', at), eb('id', '>', after.id)])]));
  const rows = await rest.orderBy('ended').orderBy('id').limit(limit).execute();
  return rows.map(toSession);
}

export async function countOpenSessions(
  db: Db,
  { cluster, user, kind, resource }: { cluster: string; user: string; kind: string; resource?: string },
): Promise<number> {
  const found = await db
    .selectFrom('session')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('cluster', '=', cluster)
    .where('ended', 'is', null)
    .where('user', '=', user)
    .where('kind', '=', kind)
    .$if(resource !== undefined, (query) => query.where('resource_id', '=', resource ?? ''))
    .executeTakeFirst();
  return Number(found?.count ?? 0);
}

/** False when it was over before. */
export async function markEnded(
  tx: Tx,
  { id, user }: Pick<Session, 'id' | 'user'>,
  end: SessionEnd,
  now: number,
): Promise<boolean> {
  const row = await tx
    .updateTable('session')
    .set({ ended: now, end_cause: end.cause, end_message: end.message.slice(0, 1000) })
    .where('id', '=', id)
    .where('ended', 'is', null)
    .returning('id')
    .executeTakeFirst();
  if (row) await publish(tx, { topic: SESSION_TOPIC, id, data: { user } });
  return row !== undefined;
}

/** Takes over sessions as they were read; gives the ids of those of which no other gateway was quicker, and that are not over. */
export async function claimSessions(
  tx: Tx,
  sessions: readonly Pick<Session, 'id' | 'gateway' | 'user'>[],
  gateway: string,
): Promise<Set<string>> {
  const claimed = new Set<string>();
  for (const [from, those] of Map.groupBy(sessions, (session) => session.gateway)) {
    const rows = await tx
      .updateTable('session')
      .set({ gateway, seen: databaseNow(tx) })
      .where(
        sqlIn(
          tx,
          'session.id',
          those.map(({ id }) => id),
        ),
      )
      .where('gateway', '=', from)
      .where('ended', 'is', null)
      .returning('id')
      .execute();
    for (const { id } of rows) claimed.add(id);
  }
  // The one that had them lets go at once.
  const changes = sessions.filter(({ id }) => claimed.has(id));
  for (let from = 0; from < changes.length; from += CHANGES)
    await publish(
      tx,
      ...changes.slice(from, from + CHANGES).map(({ id, user }) => ({ topic: SESSION_TOPIC, id, data: { user } })),
    );
  return claimed;
}

/** The ids of those that are open and this gateway's. */
export async function listOwn(db: Db, gateway: string): Promise<Set<string>> {
  const rows = await db
    .selectFrom('session')
    .select('id')
    .where('gateway', '=', gateway)
    .where('ended', 'is', null)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** Open ones that these agents hold, oldest first. */
export async function listOpenOf(db: Db, cluster: string, agents: readonly string[]): Promise<Session[]> {
  const rows = await openOf(db, cluster, agents).execute();
  return rows.map(toSession).sort((a, b) => a.created - b.created || (a.id < b.id ? -1 : 1));
}

/** Without an order: one that an index has would be chosen instead of the agents. */
export function openOf(db: Db, cluster: string, agents: readonly string[]) {
  return all(db, cluster)
    .where('ended', 'is', null)
    .where(sqlIn(db, 'session.agent', agents));
}

/** Open ones whose gateway is gone, or has not said for so long that it lives; oldest first. */
export async function listOrphans(
  db: Db,
  { cluster, gateway, deadMs }: { cluster: string; gateway: string; deadMs: number | undefined },
): Promise<Session[]> {
  const rows = await all(db, cluster)
    .where('ended', 'is', null)
    .where('gateway', '!=', gateway)
    .where((builder) => {
      const known = builder.selectFrom('gateway').select('gateway.id').whereRef('gateway.id', '=', 'session.gateway');
      const alive =
        deadMs === undefined ? known : known.where('gateway.seen', '>', builder(databaseNow(db), '-', deadMs));
      return builder.not(builder.exists(alive));
    })
    .orderBy('created')
    .orderBy('id')
    .execute();
  return rows.map(toSession);
}

export async function updateSession(
  tx: Tx,
  { id, user, signInId, participants, size, recorded, begun, connected, frozen }: Session,
): Promise<void> {
  await tx
    .updateTable('session')
    .set({
      sign_in: signInId,
      participants: writeJson(participants),
      cols: size.cols,
      rows: size.rows,
      recorded: recorded ? 1 : 0,
      begun: begun ?? null,
      connected: connected ?? null,
      frozen: frozen ? 1 : 0,
    })
    .where('id', '=', id)
    .execute();
  await publish(tx, { topic: SESSION_TOPIC, id, data: { user } });
}

/** Its server has other labels now: whoever serves it next decides by them too. */
export async function updateAction(tx: Tx, { id, user, action }: Session): Promise<void> {
  await tx
    .updateTable('session')
    .set({ action: writeJson(action) })
    .where('id', '=', id)
    .execute();
  await publish(tx, { topic: SESSION_TOPIC, id, data: { user } });
}

/** Somebody left: lists change, and nothing that is stored. */
export async function publishSession(tx: Tx, { id, user }: Pick<Session, 'id' | 'user'>): Promise<void> {
  await publish(tx, { topic: SESSION_TOPIC, id, data: { user } });
}

function all(db: Db, cluster: string) {
  return db.selectFrom('session').selectAll().where('cluster', '=', cluster);
}

export function toSession(row: Selectable<Tables['session']>): Session {
  return sessionOf(row, storedAction.parse(readJson(row.action)) as unknown as SessionAction);
}

function sessionOf(row: Selectable<Tables['session']>, action: SessionAction): Session {
  return {
    id: row.id,
    cluster: row.cluster,
    action,
    user: row.user,
    signInId: row.sign_in,
    address: row.address,
    request: row.request,
    created: row.created,
    size: { cols: row.cols, rows: row.rows },
    agent: row.agent || undefined,
    gateway: row.gateway,
    seen: row.seen,
    participants: names.parse(readJson(row.participants)),
    mfa: row.mfa !== 0,
    recorded: row.recorded !== 0,
    begun: row.begun ?? undefined,
    connected: row.connected ?? undefined,
    interactive: row.interactive !== 0,
    command: row.command ?? undefined,
    frozen: row.frozen !== 0,
    ended: endOf(row),
  };
}

function endOf({
  ended,
  end_cause,
  end_message,
}: Pick<Selectable<Tables['session']>, 'ended' | 'end_cause' | 'end_message'>): Session['ended'] {
  return ended === null ? undefined : { at: ended, cause: cause.parse(end_cause), message: end_message ?? '' };
}
