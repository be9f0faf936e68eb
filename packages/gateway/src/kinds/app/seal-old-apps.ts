/** Seals what was stored in clear before secrets of applications were sealed, once: the rows themselves, and copies in sessions. */
import { appSpec } from '@gatehouse/contract/kinds/app/app-spec';
import { z } from 'zod';
import type { Log } from '../../platform/std/log.ts';
import { readJson, writeJson } from '../../platform/storage/json.ts';
import type { Db } from '../../platform/storage/tables.ts';
import type { AppSecrets, SealedApp } from './app-secrets.ts';

const BATCH = 200;
const storedAction = z.looseObject({ resource: z.looseObject({ name: z.string(), spec: z.unknown() }) });

/** Broken off it goes on at the next start: the applications, by which it is known what is left, come last. */
export async function sealOldApps(db: Db, secrets: AppSecrets, log: Log): Promise<void> {
  const rows = await db
    .selectFrom('resource')
    .select(['seq', 'name', 'spec'])
    .where('kind', '=', 'app')
    .where('sealed', 'is', null)
    .execute();
  const apps = rows.flatMap(({ seq, name, spec }) => {
    const app = sealClear(secrets, name, readJson(spec));
    return app ? [{ seq, app }] : [];
  });
  if (apps.length === 0) return;
  for (let after = '', found = BATCH; found === BATCH; ) {
    const sessions = await db
      .selectFrom('session')
      .select(['id', 'action'])
      .where('kind', '=', 'app')
      .where('id', '>', after)
      .orderBy('id')
      .limit(BATCH)
      .execute();
    for (const { id, action } of sessions) await cleanSession(db, secrets, { id, action: readJson(action) });
    after = sessions.at(-1)?.id ?? after;
    found = sessions.length;
  }
  for (const { seq, app } of apps)
    await db
      .updateTable('resource')
      .set({ spec: writeJson(app.spec), sealed: app.sealed ?? null })
      .where('seq', '=', seq)
      .where('sealed', 'is', null)
      .execute();
  log.info({ applications: apps.length }, 'secrets of applications are sealed now');
}

/** Undefined where nothing in it is secret, or is any more. */
function sealClear(secrets: AppSecrets, name: string, stored: unknown): SealedApp | undefined {
  const { data } = appSpec.safeParse(stored);
  if (data?.mark !== '' || data.aws.kept || data.rewrite.headers.some(({ kept }) => kept)) return undefined;
  const app = secrets.seal(name, data);
  return app.sealed === undefined ? undefined : app;
}

async function cleanSession(db: Db, secrets: AppSecrets, row: { id: string; action: unknown }): Promise<void> {
  const { data: action } = storedAction.safeParse(row.action);
  const app = action && sealClear(secrets, action.resource.name, action.resource.spec);
  if (!app) return;
  const cleaned = { ...action, resource: { ...action.resource, spec: app.spec } };
  await db
    .updateTable('session')
    .set({ action: writeJson(cleaned) })
    .where('id', '=', row.id)
    .execute();
}
