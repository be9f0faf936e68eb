/** Posting and taking back alerts: the HTTP API and the local socket both come through here. */
import { randomUUID } from 'node:crypto';
import {
  ALERT_LINK_LABEL,
  ALERT_ON_LOGIN_LABEL,
  ALERT_SEVERITIES,
  type Alert,
  type alertDraft,
} from '@gatehouse/contract/console/clusters';
import type { z } from 'zod';
import { publish } from '../../platform/change-feed/publish.ts';
import { notFound } from '../../platform/std/app-error.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { inTransaction } from '../../platform/storage/transaction.ts';
import { deleteAlert, putAlert, toAlert } from './alert-store.ts';

export async function postAlert(db: Db, draft: z.output<typeof alertDraft>, now: number): Promise<Alert> {
  const row = {
    name: draft.name ?? `alert-${randomUUID()}`,
    severity: ALERT_SEVERITIES[draft.severity],
    message: draft.message,
    labels: { [ALERT_ON_LOGIN_LABEL]: 'yes', ...(draft.link ? { [ALERT_LINK_LABEL]: draft.link } : {}) },
    created: now,
    expires: now + draft.ttlSeconds * 1000,
  };
  await inTransaction(db, async (tx) => {
    await putAlert(tx, row);
    await publish(tx, { topic: 'alert', id: row.name });
  });
  return toAlert(row);
}

export async function removeAlert(db: Db, name: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    if (!(await deleteAlert(tx, name))) throw notFound('alert', name);
    await publish(tx, { topic: 'alert', id: name });
  });
}
