/** Cluster alerts in the store. */
import type { Alert } from '@gatehouse/contract/console/clusters';
import { z } from 'zod';
import { readJson, writeJson } from '../../platform/storage/json.ts';
import type { Db } from '../../platform/storage/tables.ts';

const labels = z.record(z.string(), z.string());

export interface AlertRow {
  name: string;
  severity: number;
  message: string;
  labels: Record<string, string>;
  created: number;
  expires: number;
}

/** Newest and gravest first; what has expired is gone. */
export async function listAlerts(db: Db, now: number): Promise<Alert[]> {
  const rows = await db
    .selectFrom('alert')
    .selectAll()
    .where((e) => e.or([e('expires', 'is', null), e('expires', '>', now)]))
    .orderBy('severity', 'desc')
    .orderBy('created', 'desc')
    .orderBy('name')
    .limit(100)
    .execute();
  return rows.map((row) => toAlert({ ...row, labels: labels.parse(readJson(row.labels)) }));
}

/** Posting under a name that is in use replaces that alert. */
export async function putAlert(db: Db, row: AlertRow): Promise<void> {
  const stored = { ...row, labels: writeJson(row.labels) };
  const { name: _, ...update } = stored;
  await db
    .insertInto('alert')
    .values(stored)
    .onConflict((conflict) => conflict.column('name').doUpdateSet(update))
    .execute();
}

export async function deleteAlert(db: Db, name: string): Promise<boolean> {
  const result = await db.deleteFrom('alert').where('name', '=', name).executeTakeFirst();
  return Number(result.numDeletedRows) > 0;
}

export function toAlert(row: Omit<AlertRow, 'expires'> & { expires: number | null }): Alert {
  return {
    kind: 'cluster_alert',
    version: 'v1',
    metadata: {
      name: row.name,
      labels: row.labels,
      ...(row.expires === null ? {} : { expires: new Date(row.expires).toISOString() }),
    },
    spec: { severity: row.severity, message: row.message, created: new Date(row.created).toISOString() },
  };
}
