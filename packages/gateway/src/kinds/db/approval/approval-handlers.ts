/** Answers the calls about what people ask to run in databases. */
import type { dbApprovalRoutes, StatementApproval } from '@gatehouse/contract/kinds/db/db-approvals';
import { readStoredDb } from '@gatehouse/contract/kinds/db/db-spec';
import { OK } from '@gatehouse/contract/wire/ack';
import type { AccessControl } from '../../../access/create-access.ts';
import type { Resource } from '../../../inventory/resource-store.ts';
import type { Actor } from '../../../platform/http/actor.ts';
import type { Handlers } from '../../../platform/http/call.ts';
import { notFound } from '../../../platform/std/app-error.ts';
import type { Db } from '../../../platform/storage/tables.ts';
import { dbTargetOf, readDb } from '../listed-db.ts';
import { findWantedDb } from '../wanted-db.ts';
import {
  askedDatabases,
  findApproval,
  type ListedApproval,
  lapseApprovals,
  listOthers,
  listOwn,
  type StoredApproval,
} from './approval-store.ts';
import { type Approvals, beganAs } from './approvals.ts';
import { withoutSecrets } from './asked-text.ts';

export interface ApprovalHandlerDeps {
  db: Db;
  access: AccessControl;
  approvals: Approvals;
  now: () => number;
}

export function approvalHandlers(deps: ApprovalHandlerDeps): Handlers<typeof dbApprovalRoutes> {
  const { db, access, approvals, now } = deps;

  /** Those of others are there for who may read them. */
  async function find(
    actor: Actor,
    cluster: string,
    id: string,
  ): Promise<{ row: StoredApproval; of: AskedDb | undefined }> {
    await lapseApprovals(db, now());
    const row = await findApproval(db, cluster, id);
    if (!row) throw notFound('request', id);
    const found = await readDb(db, { cluster, name: row.database });
    const of = found && asked(found.resource);
    if (row.user === actor.username) {
      // Whoever has the name of somebody who was deleted is somebody else.
      if (row.created >= (await beganAs(db, actor.username))) return { row, of };
    } else if (of && approvals.mayHave(actor, 'read', of)) return { row, of };
    throw notFound('request', id);
  }

  function toApproval(actor: Actor, row: ShownApproval, of: AskedDb | undefined): StatementApproval {
    const isTheirs = row.user === actor.username;
    const isOpen = row.expires > now() && !isTheirs && of !== undefined && approvals.mayHave(actor, 'update', of);
    return {
      ...{ id: row.id, database: row.database, protocol: row.protocol, dbUser: row.db_user, dbName: row.db_name },
      ...{ user: row.user, reason: row.reason, sql: row.sql, length: row.length, statements: row.statements },
      ...{ state: row.state, created: timeOf(row.created), expires: timeOf(row.expires) },
      ...{ decidedBy: row.decided_by, decided: timeOf(row.decided), note: row.note, used: timeOf(row.used) },
      mayDecide: isOpen && row.state === 'PENDING',
      mayTakeBack: isOpen && row.state === 'APPROVED',
    };
  }

  function toWhole(actor: Actor, row: StoredApproval, of: AskedDb | undefined): StatementApproval {
    const sql = isElsewhere(actor, row, of) ? withoutSecrets(row.protocol, row.sql).text : row.sql;
    return toApproval(actor, { ...row, sql, length: sql.length }, of);
  }

  /** Where a secret ends is told by the whole text alone: of those few, the list shows nothing of it. */
  function toItem(actor: Actor, row: ListedApproval, of: AskedDb | undefined): StatementApproval {
    const sql = isUnmasked(row) && isElsewhere(actor, row, of) ? '' : row.sql;
    return toApproval(actor, { ...row, sql }, of);
  }

  return {
    async ask({ actor, cluster, params: { name }, body: { sql, reason, dbUser, dbName }, exchange }) {
      const wanted = await findWantedDb({ db, access, clusterName: cluster }, actor, { name, dbUser, dbName });
      const row = await approvals.ask(actor, wanted, { sql, reason }, exchange);
      return toWhole(actor, row, asked(wanted.listed.resource));
    },

    async own({ actor, cluster }) {
      await lapseApprovals(db, now());
      const rows = await listOwn(db, cluster, { name: actor.username, since: await beganAs(db, actor.username) });
      return { items: rows.map((row) => toItem(actor, row, undefined)) };
    },

    async list({ actor, cluster }) {
      await lapseApprovals(db, now());
      const seen = (await askedDatabases(db, cluster)).filter((resource) =>
        approvals.mayHave(actor, 'read', { resource }),
      );
      const known = new Map(seen.map((resource) => [resource.id, asked(resource)]));
      const rows = await listOthers(db, cluster, actor.username, [...known.keys()]);
      return { items: rows.map((row) => toItem(actor, row, known.get(row.database))) };
    },

    async get({ actor, cluster, params: { approval } }) {
      const { row, of } = await find(actor, cluster, approval);
      return toWhole(actor, row, of);
    },

    async decide({ actor, cluster, params: { approval }, body, exchange }) {
      const { row } = await find(actor, cluster, approval);
      await approvals.decide(actor, row, body, exchange);
      const { row: after, of } = await find(actor, cluster, approval);
      return toWhole(actor, after, of);
    },

    async withdraw({ actor, cluster, params: { approval }, exchange }) {
      const { row } = await find(actor, cluster, approval);
      if (row.user !== actor.username) throw notFound('request', approval);
      await approvals.withdraw(actor, row, exchange);
      return OK;
    },
  };
}

type ShownApproval = Omit<ListedApproval, 'cluster'>;

/** Whoever sees another database by that name was never meant to read its passwords. */
function isElsewhere(actor: Actor, row: Pick<StoredApproval, 'user' | 'target'>, of: AskedDb | undefined): boolean {
  return row.user !== actor.username && of?.target !== row.target;
}

/** What is over was masked when it came to be. */
function isUnmasked({ state }: Pick<StoredApproval, 'state'>): boolean {
  return state === 'PENDING' || state === 'APPROVED';
}

/** As it is listed now, with what it leads to. */
interface AskedDb {
  resource: Resource;
  target: string;
}

function asked(resource: Resource): AskedDb {
  return { resource, target: dbTargetOf(readStoredDb(resource.spec).spec) };
}

function timeOf(time: number | null): string {
  return time === null ? '' : new Date(Number(time)).toISOString();
}
