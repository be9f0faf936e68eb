/** Notes what happens to recordings while they are written: in the store, and failures in the audit log. */
import { recordingFailed, recordingFull, recordingTampered } from '@gatehouse/contract/audit/recording-events';
import type { Audit } from '../../platform/audit/emit.ts';
import type { Log } from '../../platform/std/log.ts';
import type { Db, Tx } from '../../platform/storage/tables.ts';
import { namedSession } from './named-session.ts';
import {
  begunRecording,
  findRecording,
  insertBegun,
  insertRecording,
  markRecording,
  noteFinding,
  type RecordingMark,
  writeRecording,
} from './recording-status-store.ts';

export interface NoteDeps {
  db: Db;
  audit: Audit;
  log: Log;
}

export interface RecordingNotes {
  /** With its session. */
  begins(tx: Tx, sid: string): Promise<void>;
  /** Gives back how far it was sealed before, if another process began it. */
  began(sid: string): Promise<RecordingMark | undefined>;
  /** It was sealed up to here. */
  marked(sid: string, mark: RecordingMark): Promise<void>;
  /** What is there is not what was written. */
  tampered(session: { id: string; user: string }, reason: string): Promise<void>;
  /** Not made at all, and why. What is known already stays. */
  skipped(sid: string, reason: string): Promise<void>;
  failed(session: { id: string; user: string }, reason: string): Promise<void>;
  /** Its session is ended, because there is no room for more of it. */
  full(session: { id: string; user: string }, reason: string, bytes: number): Promise<void>;
  /** Resolves when all of it is written. */
  settled(): Promise<void>;
}

export function noteRecordings({ db, audit, log }: NoteDeps): RecordingNotes {
  const writing = new Set<Promise<void>>();
  const note = async (work: Promise<void>): Promise<void> => {
    const followed = work.catch((error: unknown) => log.error({ error }, 'what became of a recording is not noted'));
    writing.add(followed);
    await followed;
    writing.delete(followed);
  };
  return {
    async begins(tx, sid) {
      await insertBegun(tx, sid);
    },

    async began(sid) {
      const known = await findRecording(db, sid);
      if (known || (await insertRecording(db, begunRecording(sid)))) return known?.mark;
      // Another gateway was quicker.
      return (await findRecording(db, sid))?.mark;
    },

    marked: (sid, mark) => note(markRecording(db, sid, mark)),

    async tampered({ id: sid, user }, reason) {
      await db.transaction().execute(async (tx) => {
        await noteFinding(tx, sid, reason);
        await audit.emit(
          tx,
          recordingTampered,
          { user, ...(await namedSession(tx, sid)), error: reason },
          { sessionId: sid },
        );
      });
    },

    async skipped(sid, reason) {
      if (await findRecording(db, sid)) return;
      await writeRecording(db, { ...begunRecording(sid), state: 'disabled', gap: 'disabled', reason });
    },

    failed: ({ id: sid, user }, reason) =>
      note(
        db.transaction().execute(async (tx) => {
          const known = (await findRecording(tx, sid)) ?? begunRecording(sid);
          await writeRecording(tx, { ...known, state: 'failed', gap: 'failed', reason: cannotWrite(reason) });
          await audit.emit(
            tx,
            recordingFailed,
            { user, ...(await namedSession(tx, sid)), error: reason },
            { sessionId: sid },
          );
        }),
      ),

    full: ({ id: sid, user }, reason, bytes) =>
      note(
        db.transaction().execute(async (tx) => {
          const fields = { user, ...(await namedSession(tx, sid)), reason, bytes };
          await audit.emit(tx, recordingFull, fields, { sessionId: sid });
        }),
      ),

    async settled() {
      await Promise.all(writing);
    },
  };
}

function cannotWrite(reason: string): string {
  return `the gateway could not write it: ${reason}`;
}
