/** Tells those who may list a database when its certificate is about to end; it is gone when another one was seen there. */
import { ALERT_ON_LOGIN_LABEL, ALERT_SEVERITIES, type Alert } from '@gatehouse/contract/console/clusters';
import type { AccessControl } from '../../access/create-access.ts';
import { toResource } from '../../inventory/resource-store.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { findState, WARNED_MS } from './db-states.ts';
import { type ListedDb, toListedDb } from './listed-db.ts';

const DAY_MS = 86_400_000;
/** Looked at, and told: with more there is something else wrong. */
const MAX_ENDING = 1_000;
const MAX_TOLD = 20;
const NO_DIALERS = { offers: new Map<string, readonly string[]>(), services: [] };

export interface EndingDeps {
  db: Db;
  clusterName: string;
  now: () => number;
}

export interface EndingDb {
  listed: ListedDb;
  /** Of its certificate. */
  ends: number;
}

/** Those whose certificates end within two weeks, or have ended, the first to end first. */
export async function endingDbs({ db, clusterName: cluster, now }: EndingDeps): Promise<EndingDb[]> {
  const rows = await db
    .selectFrom('db_state')
    .innerJoin('resource', (join) =>
      join.onRef('resource.cluster', '=', 'db_state.cluster').onRef('resource.id', '=', 'db_state.id'),
    )
    .selectAll('resource')
    .where('resource.kind', '=', 'db')
    .where('db_state.cluster', '=', cluster)
    .where('db_state.certificate_end', '<=', now() + WARNED_MS)
    .orderBy('db_state.certificate_end')
    .limit(MAX_ENDING)
    .execute();
  const ending: EndingDb[] = [];
  for (const row of rows) {
    const resource = toResource(row, 'db');
    const listed = toListedDb(resource, NO_DIALERS);
    // Of what it was before it was changed, nothing is worth telling.
    const ends = (await findState(db, listed))?.certificate_end ?? undefined;
    if (ends !== undefined) ending.push({ listed, ends });
  }
  return ending;
}

export async function dbAlerts(
  deps: EndingDeps & { access: Pick<AccessControl, 'decide'> },
  actor: Actor,
): Promise<Alert[]> {
  if (!actor.acl.dbServers.list) return [];
  const ending = await endingDbs(deps);
  return ending
    .filter(({ listed: { resource } }) => deps.access.decide(actor, { type: 'see', kind: 'db', resource }).allowed)
    .slice(0, MAX_TOLD)
    .map((each) => toAlert(each, deps.now()));
}

function toAlert({ listed: { resource }, ends }: EndingDb, now: number): Alert {
  const day = new Date(ends).toISOString().slice(0, 10);
  const days = Math.floor((ends - now) / DAY_MS);
  const left = days === 1 ? '1 day' : `${days} days`;
  const message =
    ends <= now
      ? `The certificate of the database '${resource.name}' has ended on ${day}: nobody can connect until it is renewed.`
      : `The certificate of the database '${resource.name}' ends on ${day}, in ${left}: renew it there.`;
  return {
    kind: 'cluster_alert',
    version: 'v1',
    metadata: {
      // No administrator can write one that is called so; another certificate is another alert, also for who put this one away.
      name: `db:${resource.name}:certificate:${day}${ends <= now ? ':ended' : ''}`,
      labels: { [ALERT_ON_LOGIN_LABEL]: 'yes' },
    },
    spec: {
      severity: ends <= now + DAY_MS ? ALERT_SEVERITIES.high : ALERT_SEVERITIES.medium,
      message,
      created: new Date(Math.min(now, ends - WARNED_MS)).toISOString(),
    },
  };
}
