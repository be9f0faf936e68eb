/** Who uses the files of which server, and which downloads browsers may start, in the store: any gateway serves the next call. */
import { z } from 'zod';
import { readJson, writeJson } from '../../../platform/storage/json.ts';
import type { Db, Tx } from '../../../platform/storage/tables.ts';

/** Nobody needs one for longer than a day's work; the sign-in it belongs to ends about then too. */
const SESSION_MS = 12 * 3_600_000;
/** From the ticket to the first byte asked for. */
export const START_MS = 60_000;
/** For going on with a download that was started, after the network was lost. */
export const GO_ON_MS = 12 * 3_600_000;

export interface StoredFileSession {
  id: string;
  cluster: string;
  resourceId: string;
  login: string;
  user: string;
  signInId: string;
  created: number;
  mfa: boolean;
}

const wantedDownload = z.object({ paths: z.array(z.string()).min(1), archive: z.boolean() });
export type WantedDownload = z.output<typeof wantedDownload>;

export interface FileTicket extends WantedDownload {
  fileSession: string;
  created: number;
  started: number | undefined;
}

export async function insertFileSession(tx: Tx, session: StoredFileSession): Promise<void> {
  await tx
    .deleteFrom('file_session')
    .where('created', '<', session.created - SESSION_MS)
    .execute();
  const { resourceId, signInId, mfa, ...same } = session;
  await tx
    .insertInto('file_session')
    .values({ ...same, resource_id: resourceId, sign_in: signInId, mfa: mfa ? 1 : 0 })
    .execute();
}

export async function findFileSession(db: Db, id: string, now: number): Promise<StoredFileSession | undefined> {
  const row = await db
    .selectFrom('file_session')
    .selectAll()
    .where('id', '=', id)
    .where('created', '>=', now - SESSION_MS)
    .executeTakeFirst();
  if (!row) return undefined;
  const { resource_id, sign_in, mfa, ...same } = row;
  return { ...same, resourceId: resource_id, signInId: sign_in, mfa: mfa !== 0 };
}

export async function removeFileSession(db: Db, id: string): Promise<void> {
  await db.deleteFrom('file_session').where('id', '=', id).execute();
}

export async function insertTicket(
  tx: Tx,
  { hash, fileSession, wanted, now }: { hash: string; fileSession: string; wanted: WantedDownload; now: number },
): Promise<void> {
  await tx
    .deleteFrom('file_ticket')
    .where('created', '<', now - GO_ON_MS)
    .execute();
  await tx
    .insertInto('file_ticket')
    .values({ hash, file_session: fileSession, wanted: writeJson(wanted), created: now, started: null })
    .execute();
}

export async function findTicket(db: Db, hash: string): Promise<FileTicket | undefined> {
  const row = await db.selectFrom('file_ticket').selectAll().where('hash', '=', hash).executeTakeFirst();
  if (!row) return undefined;
  const { file_session, wanted, created, started } = row;
  return {
    ...wantedDownload.parse(readJson(wanted)),
    fileSession: file_session,
    created,
    started: started ?? undefined,
  };
}

/** False when it was started before, here or on another gateway. */
export async function startTicket(db: Db, hash: string, now: number): Promise<boolean> {
  const row = await db
    .updateTable('file_ticket')
    .set({ started: now })
    .where('hash', '=', hash)
    .where('started', 'is', null)
    .returning('hash')
    .executeTakeFirst();
  return row !== undefined;
}
