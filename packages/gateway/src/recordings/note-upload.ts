/** Notes whether a recording has reached the bucket. */
import type { Db } from '../storage/tables.ts';
import { findRecording, writeRecording } from './recording-states.ts';
import type { RecordingStore } from './recording-store.ts';

export async function noteUpload(
  db: Db,
  bucket: Pick<RecordingStore, 'open'>,
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
  await writeRecording(db, { ...known, ...place, ...(isWell ? { gap: '', reason: '' } : {}) });
}
