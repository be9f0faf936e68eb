/** Lets people ask for what they may not run by themselves, others decide about it, and what was approved be run once. Rights are those of the moment, each time. */
import { createHash, randomUUID } from 'node:crypto';
import { MAX_ASKED_IN_AN_HOUR, MAX_OPEN_APPROVALS } from '@gatehouse/contract/kinds/db/db-approvals';
import {
  dbApprovalAsked,
  dbApprovalDenied,
  dbApprovalGiven,
  dbApprovalUsed,
  dbApprovalWithdrawn,
} from '@gatehouse/contract/kinds/db/db-events';
import type { AccessControl } from '../../../access/create-access.ts';
import { sessionOptions } from '../../../access/session-options.ts';
import { requirePerson } from '../../../identity/account/own-account.ts';
import { findTrust } from '../../../identity/federation/stores/trusted-cluster-store.ts';
import type { Identity } from '../../../identity/identity.ts';
import { findPerson } from '../../../identity/stores/people.ts';
import { readRemoteName } from '../../../identity/stores/remote-name.ts';
import type { Audit } from '../../../platform/audit/emit.ts';
import type { Actor } from '../../../platform/http/actor.ts';
import { AppError, notFound } from '../../../platform/std/app-error.ts';
import { holdLock } from '../../../platform/storage/named-lock.ts';
import type { Db } from '../../../platform/storage/tables.ts';
import { ownerOf } from '../../../sessions/host/owners.ts';
import { connectTo } from '../db-rights.ts';
import { TOLD_CHARACTERS } from '../engine/statement.ts';
import { dbTargetOf, type ListedDb, readDb } from '../listed-db.ts';
import { mustAsk } from '../must-ask.ts';
import type { WantedDb } from '../wanted-db.ts';
import {
  askedAfter,
  countOpen,
  findApproval,
  forgetOld,
  insertApproval,
  lapseApprovals,
  type StoredApproval,
  settleApproval,
  tidyApprovals,
  type UsedApproval,
} from './approval-store.ts';
import { countAsked, withoutSecrets } from './asked-text.ts';
import { canBeAsked } from './held-back.ts';

const DECIDE_MS = 24 * 60 * 60_000;
const RUN_MS = 60 * 60_000;
const HOUR_MS = 60 * 60_000;

export interface ApprovalDeps {
  db: Db;
  access: AccessControl;
  identity: Pick<Identity, 'requireOwnFactor'>;
  audit: Audit;
  now: () => number;
}

/** Where a call or a session comes from. */
interface From {
  address: string;
}

export interface TakenApproval extends UsedApproval {
  sql: string;
}

export interface Approvals {
  ask(actor: Actor, wanted: WantedDb, asked: { sql: string; reason: string }, from: From): Promise<StoredApproval>;
  decide(
    actor: Actor,
    row: StoredApproval,
    decision: { state: 'APPROVED' | 'DENIED'; note: string },
    from: From,
  ): Promise<void>;
  withdraw(actor: Actor, row: StoredApproval, from: From): Promise<void>;
  /** Marks it as used, and gives what may be sent then. Throws why it may not be. */
  take(actor: Actor, id: string, wanted: WantedDb, session: From & { id: string }): Promise<TakenApproval>;
  /** Lets go of what has run out, also where nobody asks any more. */
  tidy(): Promise<void>;
  /** Whether somebody may read or decide about what others ask for there. */
  mayHave(actor: Actor, verb: 'read' | 'update', of: Pick<ListedDb, 'resource'>): boolean;
}

const OVER = 'it is not waiting any more: it was decided, taken back or has run out';

export function createStatementApprovals(deps: ApprovalDeps): Approvals {
  const { db, access, identity, audit, now } = deps;

  const mayHave: Approvals['mayHave'] = (actor, verb, { resource }) => {
    const object = { kind: 'db_approval', name: resource.name, labels: resource.labels };
    return (
      access.decide(actor, { type: 'verb', resource: 'db_approval', verb, object }).allowed &&
      access.decide(actor, { type: 'see', kind: 'db', resource }).allowed
    );
  };

  async function requireSameDb(from: Db, row: StoredApproval): Promise<ListedDb> {
    const found = await readDb(from, { cluster: row.cluster, name: row.database });
    if (!found) throw new AppError('conflict', `there is no database '${row.database}' any more`);
    if (dbTargetOf(found.spec) !== row.target)
      throw new AppError('conflict', `the database '${row.database}' leads elsewhere since that was asked: ask again`);
    return found;
  }

  /** Who approved it must be able to at this moment, too. */
  async function requireApprover(from: Db, row: StoredApproval, of: ListedDb): Promise<void> {
    const approver = await ownerOf({ db: from, access }, { user: row.decided_by, signInId: '' });
    const isThere = approver && (await isSame(from, row.decided_by, Number(row.decided))) && !access.lockOn(approver);
    if (isThere && mayHave(approver, 'update', of)) return;
    throw new AppError('denied', `'${row.decided_by}' may not approve this any more: ask again`);
  }

  return {
    mayHave,
    tidy: () => tidyApprovals(db, now()),

    async ask(actor, { listed, chosen }, { sql, reason }, from) {
      requirePerson(actor);
      const { resource, spec } = listed;
      access.require(actor, connectTo(listed, chosen));
      const refusal = whyNotAsked(access, actor, listed);
      if (refusal) throw new AppError('conflict', refusal);
      const statements = countAsked(spec.protocol, sql);
      await lapseApprovals(db, now());
      await forgetOld(db, now());
      const row: StoredApproval = {
        ...{ id: randomUUID(), cluster: resource.cluster, database: resource.id, target: dbTargetOf(spec) },
        ...{ protocol: spec.protocol, db_user: chosen.dbUser, db_name: chosen.dbName, user: actor.username },
        ...{ reason, sql, sha256: hashOf(sql), statements, state: 'PENDING' as const },
        ...{ created: now(), expires: now() + DECIDE_MS, decided_by: '', decided: null, note: '', used: null },
      };
      await db.transaction().execute(async (tx) => {
        await holdLock(tx, `approvals of ${actor.username}`, 'alone');
        if ((await countOpen(tx, actor.username, now())) >= MAX_OPEN_APPROVALS)
          throw new AppError('too_many', `${MAX_OPEN_APPROVALS} of yours are open: run or withdraw one first`);
        // Also what was withdrawn: each text is kept.
        const { count, first } = await askedAfter(tx, actor.username, row.created - HOUR_MS);
        if (count >= MAX_ASKED_IN_AN_HOUR) throw new AppError('too_many', askedTooOften(first + HOUR_MS - row.created));
        await insertApproval(tx, row);
        const { text, hasSecret } = withoutSecrets(spec.protocol, sql);
        const whole = text.length > TOLD_CHARACTERS ? { length: sql.length } : {};
        const query = {
          db_query: text.slice(0, TOLD_CHARACTERS),
          ...whole,
          ...(hasSecret ? {} : { sha256: row.sha256 }),
        };
        await audit.emit(
          tx,
          dbApprovalAsked,
          { ...told(actor, row, listed), ...query, ...because(reason) },
          context(actor, from),
        );
      });
      return row;
    },

    async decide(actor, row, { state, note }, from) {
      requirePerson(actor);
      if (row.user === actor.username) throw new AppError('denied', 'somebody else decides about what you ask for');
      if (state === 'APPROVED') await identity.requireOwnFactor(db, actor);
      await db.transaction().execute(async (tx) => {
        const of = await readDb(tx, { cluster: row.cluster, name: row.database });
        // What cannot be run any more can be denied, where somebody may know of it.
        if (!of || !mayHave(actor, 'update', of)) throw notFound('request', row.id);
        if (state === 'APPROVED') await requireSameDb(tx, row);
        const expires = now() + RUN_MS;
        const to = {
          state,
          note,
          decided_by: actor.username,
          decided: now(),
          ...(state === 'APPROVED' ? { expires } : {}),
        };
        // What was approved can be taken back for as long as it was not run.
        const isOpen = row.state === 'PENDING' || (row.state === 'APPROVED' && state === 'DENIED');
        if (!isOpen || !(await settleApproval(tx, row, to, now()))) throw new AppError('conflict', OVER);
        const event = state === 'APPROVED' ? dbApprovalGiven : dbApprovalDenied;
        await audit.emit(tx, event, { ...told(actor, row, of), ...because(note) }, context(actor, from));
      });
    },

    async withdraw(actor, row, from) {
      requirePerson(actor);
      await db.transaction().execute(async (tx) => {
        const isOpen = row.state === 'PENDING' || row.state === 'APPROVED';
        if (!isOpen || !(await settleApproval(tx, row, { state: 'WITHDRAWN' }, now())))
          throw new AppError('conflict', OVER);
        const of = await readDb(tx, { cluster: row.cluster, name: row.database });
        await audit.emit(tx, dbApprovalWithdrawn, told(actor, row, of), context(actor, from));
      });
    },

    async take(actor, id, { listed, chosen }, session) {
      requirePerson(actor);
      const { cluster } = listed.resource;
      return await db.transaction().execute(async (tx) => {
        const row = await findApproval(tx, cluster, id);
        if (row?.user !== actor.username || !(await isSame(tx, row.user, row.created))) throw notFound('request', id);
        const of = await requireSameDb(tx, row);
        const isHere = row.database === listed.resource.id && row.target === dbTargetOf(listed.spec);
        if (!isHere || row.db_user !== chosen.dbUser || row.db_name !== chosen.dbName)
          throw new AppError(
            'denied',
            `it was approved for '${row.database}' as '${row.db_user}' in '${row.db_name}': open the workbench there`,
          );
        access.require(actor, connectTo(of, chosen));
        const refusal = whyNotAsked(access, actor, of);
        if (refusal) throw new AppError('conflict', refusal);
        if (row.state !== 'APPROVED') throw new AppError('conflict', NOT_RUN[row.state]);
        if (row.expires <= now()) throw new AppError('conflict', NOT_RUN.EXPIRED);
        if (hashOf(row.sql) !== row.sha256)
          throw new AppError('conflict', 'the text is not the one that was approved: ask again');
        await requireApprover(tx, row, of);
        if (!(await settleApproval(tx, row, { state: 'USED', used: now() }, now())))
          throw new AppError('conflict', NOT_RUN.USED);
        const used = { ...told(actor, row, of), approved_by: row.decided_by, sid: session.id };
        await audit.emit(tx, dbApprovalUsed, used, { ...context(actor, session), sessionId: session.id });
        return { id: row.id, by: row.decided_by, sql: row.sql };
      });
    },
  };
}

/** When whoever has this name came by it: whoever had it before is somebody else. */
export async function beganAs(from: Db, name: string): Promise<number> {
  const remote = readRemoteName(name);
  // Its people have gone with a cluster that is trusted no more: under its name another may come.
  if (remote) return (await findTrust(from, remote.trust))?.created ?? Infinity;
  return (await findPerson(from, name))?.created ?? Infinity;
}

async function isSame(from: Db, name: string, at: number): Promise<boolean> {
  return (await beganAs(from, name)) <= at;
}

const NOT_RUN = {
  PENDING: 'nobody has approved it yet',
  DENIED: 'it was denied',
  WITHDRAWN: 'it was taken back',
  EXPIRED: 'it has run out: ask again',
  USED: 'it was run already: ask again',
} as const;

/** Where nothing of theirs waits for anybody, or nothing may be written whoever says so. */
function whyNotAsked(access: AccessControl, actor: Actor, { spec, resource }: ListedDb): string | undefined {
  if (!mustAsk(access, actor)) return 'no role of yours asks for approvals: what you may do there, you can do at once';
  if (spec.readOnly) return `the record of '${resource.name}' lets everybody only read there`;
  if (sessionOptions(access.of(actor)).dbReadOnly) return 'a role of yours lets you only read there';
  return canBeAsked(spec.protocol)
    ? undefined
    : 'nothing can be asked for there: approvals are for PostgreSQL, MySQL and MariaDB';
}

function askedTooOften(waitMs: number): string {
  const minutes = Math.ceil(waitMs / 60_000);
  const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`;
  return `you have asked ${MAX_ASKED_IN_AN_HOUR} times within an hour: ask again in ${wait}`;
}

function told(actor: Actor, row: StoredApproval, of: ListedDb | undefined) {
  return {
    ...{ user: actor.username, approval: row.id, asked_by: row.user },
    ...{ db_service: row.database, db_protocol: row.protocol, db_uri: of?.spec.uri ?? '' },
    ...{ db_user: row.db_user, db_name: row.db_name },
    ...(of ? { db_labels: { ...of.resource.labels } } : {}),
  };
}

function because(reason: string): { reason?: string } {
  return reason === '' ? {} : { reason };
}

function context({ signInId }: Actor, { address }: From) {
  return { signInId, address };
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
