/** Notes whether a recording has reached the bucket; that it has is in the audit log too, once. */
import { sessionUploaded } from '@gatehouse/contract/audit/session-events';
import type { Audit } from '../../../platform/audit/emit.ts';
import type { Db } from '../../../platform/storage/tables.ts';
import { namedSession } from '../named-session.ts';
import { findRecording, writeRecording } from '../recording-status-store.ts';
import type { RecordingStore } from './recording-store.ts';

export interface UploadDeps {
  db: Db;
  audit: Audit;
  bucket: Pick<RecordingStore, 'open'> & { urlOf(sid: string): string };
}

export async function noteUpload(
  { db, audit, bucket }: UploadDeps,
  sid: string,
  error: string | undefined,
): Promise<void> {
  const known = await findRecording(db, sid);
  if (!known || known.state === 'removed') return;
  if (error !== undefined) {
    // What is wrong with the recording itself weighs more than where it is.
    if (known.gap !== '' && known.gap !== 'not_uploaded') return;
    await writeRecording(db, { ...known, gap: 'not_uploaded', reason: `it is not in the bucket yet: ${error}` });
    return;
  }
  const source = await bucket.open(sid);
  const place = { bytes: source?.bytes ?? known.bytes, changed: source?.changed ?? known.changed };
  await source?.close();
  const isWell = known.gap === 'not_uploaded';
  await db.transaction().execute(async (tx) => {
    await writeRecording(tx, { ...known, ...place, ...(isWell ? { gap: '', reason: '' } : {}) });
    const named = await namedSession(tx, sid);
    const fields = { ...named, ...(named.owner === undefined ? {} : { user: named.owner }), url: bucket.urlOf(sid) };
    await audit.emit(tx, sessionUploaded, fields, { sessionId: sid });
  });
}
