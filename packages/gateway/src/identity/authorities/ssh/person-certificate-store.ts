/** Certificates that people hold, in the store: what has no row there opens nothing. */
import { publish } from '../../../platform/change-feed/publish.ts';
import type { Db, Tx } from '../../../platform/storage/tables.ts';

export const PERSON_CERTIFICATE_TOPIC = 'ssh-certificate';

export interface StoredCertificate {
  serial: string;
  user: string;
  signIn: string;
  fingerprint: string;
  created: number;
  expires: number;
}

export async function insertCertificate(tx: Tx, { signIn, ...certificate }: StoredCertificate): Promise<void> {
  await tx
    .insertInto('ssh_certificate')
    .values({ ...certificate, sign_in: signIn, used: null })
    .execute();
}

export async function findCertificate(db: Db, serial: string): Promise<StoredCertificate | undefined> {
  const row = await db.selectFrom('ssh_certificate').selectAll().where('serial', '=', serial).executeTakeFirst();
  return row && toCertificate(row);
}

/** Those of somebody that are still good, the newest first: none outlives the sign-in it stands on. */
export async function listCertificates(db: Db, user: string, now: number): Promise<StoredCertificate[]> {
  const rows = await db
    .selectFrom('ssh_certificate')
    .selectAll()
    .where('user', '=', user)
    .where('expires', '>', now)
    .where('sign_in', 'in', (query) => query.selectFrom('sign_in').select('id').where('ended', 'is', null))
    .orderBy('created', 'desc')
    .execute();
  return rows.map(toCertificate);
}

/** False where it was used before, or ended. */
export async function useCertificate(db: Db, serial: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('ssh_certificate')
    .set({ used: now })
    .where('serial', '=', serial)
    .where('used', 'is', null)
    .where('expires', '>', now)
    .executeTakeFirst();
  return Number(numUpdatedRows) === 1;
}

/** False where somebody has none of that number. What stands on it hears of it. */
export async function removeCertificate(tx: Tx, user: string, serial: string): Promise<boolean> {
  const gone = await tx
    .deleteFrom('ssh_certificate')
    .where('serial', '=', serial)
    .where('user', '=', user)
    .returning('serial')
    .execute();
  if (gone.length === 0) return false;
  await publish(tx, { topic: PERSON_CERTIFICATE_TOPIC, id: serial });
  return true;
}

export async function removeEndedCertificates(tx: Tx, now: number): Promise<void> {
  await tx.deleteFrom('ssh_certificate').where('expires', '<=', now).execute();
}

function toCertificate({
  sign_in,
  used: _,
  ...row
}: {
  serial: string;
  user: string;
  sign_in: string;
  fingerprint: string;
  created: number;
  expires: number;
  used: number | null;
}): StoredCertificate {
  return { ...row, signIn: sign_in };
}
