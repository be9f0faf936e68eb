/** Says in the audit log who watched which recording: once for each opening, however many pieces of it are asked for. */
import { recordingAccessed } from '@gatehouse/contract/audit/recording-events';
import type { Audit } from '../../platform/audit/emit.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { BoundedMap } from '../../platform/std/bounded-map.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { namedSession } from './named-session.ts';

/** Whoever asks for a piece after so long without any has opened it again. */
const OPEN_MS = 15 * 60_000;
const MAX_KEPT = 10_000;

export interface PlaybackAuditDeps {
  db: Db;
  audit: Audit;
  now: () => number;
}

export interface PlaybackAudit {
  /** Call it before anything of the recording is given out. */
  opened(actor: Actor, sid: string): Promise<void>;
}

export function createPlaybackAudit({ db, audit, now }: PlaybackAuditDeps): PlaybackAudit {
  const open = new BoundedMap<string, { until: number; written: Promise<void> }>(MAX_KEPT);
  return {
    async opened({ username, signInId }, sid) {
      const key = `${signInId} ${sid}`;
      const known = open.get(key);
      open.delete(key);
      const isOpen = known !== undefined && known.until > now();
      const written = isOpen
        ? known.written
        : db.transaction().execute(async (tx) => {
            const fields = { user: username, ...(await namedSession(tx, sid)) };
            await audit.emit(tx, recordingAccessed, fields, { sessionId: sid, signInId });
          });
      open.set(key, { until: now() + OPEN_MS, written });
      try {
        await written;
      } catch (error) {
        open.delete(key);
        throw error;
      }
    },
  };
}
