/** Opens a recording for whoever may watch it. */
import type { AccessControl } from '../../../access/create-access.ts';
import type { Actor } from '../../../platform/http/actor.ts';
import { AppError, notFound } from '../../../platform/std/app-error.ts';
import type { Db } from '../../../platform/storage/tables.ts';
import type { Session } from '../../../sessions/host/session-store.ts';
import { findRecorded } from '../recorded-sessions.ts';
import { mayRecording } from '../recording-rights.ts';
import { findRecording, type KnownRecording } from '../recording-status-store.ts';
import { BucketAway, orAway } from '../stores/bucket-away.ts';
import { isSid, type RecordingSource, type RecordingStore } from '../stores/recording-store.ts';
import type { RecordingStates, ToldState } from './recording-status.ts';
import { visibleSessions } from './visible-sessions.ts';

export interface OpenRecording {
  session: Session;
  known: KnownRecording | undefined;
  told: ToldState;
  /** Of a damaged one, what comes before the damage. */
  source: RecordingSource | undefined;
  /** Nothing behind this is shown. */
  untilMs: number;
  /** Nobody could look for it. */
  away?: BucketAway | undefined;
}

export interface FindRecordingDeps {
  db: Db;
  access: AccessControl;
  store: RecordingStore;
  states: RecordingStates;
  clusterName: string;
}

/** Its session, if the actor may watch it as things are now. */
export async function findPlayed(
  { db, access, clusterName }: Pick<FindRecordingDeps, 'db' | 'access' | 'clusterName'>,
  actor: Actor,
  sid: string,
): Promise<Session> {
  if (!isSid(sid)) throw notFound('recording', sid);
  const visible = visibleSessions(db, access, actor, 'read');
  const session = await findRecorded(db, { cluster: clusterName, visible, sid });
  if (!session || !mayRecording(access, actor, session, 'read')) throw notFound('recording', sid);
  return session;
}

/** Looks it up among those the actor may watch, and closes its file afterwards. */
export async function withRecording<Result>(
  deps: FindRecordingDeps,
  actor: Actor,
  { sid }: { sid: string },
  work: (opened: OpenRecording) => Promise<Result>,
): Promise<Result> {
  const { db, store, states } = deps;
  const session = await findPlayed(deps, actor, sid);
  const known = await findRecording(db, sid);
  const opened = await store.open(sid).catch(orAway);
  const away = opened instanceof BucketAway ? opened : undefined;
  const source = opened instanceof BucketAway ? undefined : opened;
  try {
    const told = away ? states.unseen(session, known, away.message) : await states.with(session, known, source);
    const sound = source && told.state === 'corrupted' ? await states.soundPart(sid, source) : undefined;
    const untilMs = sound?.ms ?? Number.POSITIVE_INFINITY;
    return await work({
      session,
      known,
      told,
      source: source && sound ? firstPart(source, sound.bytes) : source,
      untilMs,
      away,
    });
  } finally {
    await source?.close();
  }
}

function firstPart(source: RecordingSource, bytes: number): RecordingSource {
  return {
    bytes,
    read: async (from, length) => await source.read(from, Math.max(0, Math.min(length, bytes - from))),
    close: () => source.close(),
  };
}

export function requirePlayable({ told, source, away }: OpenRecording): RecordingSource {
  if (source && told.playable) return source;
  if (away) throw away;
  throw new AppError('conflict', `the recording cannot be played: ${told.reason || told.state}`, {
    fields: { state: told.state },
  });
}
