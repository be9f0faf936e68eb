/** Answers the calls that keep recordings honest: coverage, whether one is unchanged, taking it away, and retention. */
import { Readable } from 'node:stream';
import { recordingExported } from '@gatehouse/contract/audit/recording-events';
import { factsOf } from '@gatehouse/contract/kinds/kinds';
import type { recordingUpkeepRoutes } from '@gatehouse/contract/recordings/recording-upkeep';
import type { AccessControl } from '../../../access/create-access.ts';
import type { Audit } from '../../../platform/audit/emit.ts';
import type { Actor } from '../../../platform/http/actor.ts';
import { attachmentNamed, type ByteReply } from '../../../platform/http/byte-reply.ts';
import type { Handlers } from '../../../platform/http/call.ts';
import { whileAllowed } from '../../../platform/http/while-allowed.ts';
import { AppError, notFound } from '../../../platform/std/app-error.ts';
import type { Db } from '../../../platform/storage/tables.ts';
import { findSession, type Session } from '../../../sessions/host/session-store.ts';
import { measureCoverage } from '../coverage.ts';
import { toAsciicast } from '../format/asciicast.ts';
import { stateOf } from '../format/check-recording.ts';
import { toJsonLines, toSqlText } from '../format/statement-texts.ts';
import { namedSession } from '../named-session.ts';
import type { PlaybackAudit } from '../playback-audit.ts';
import { mayRecording } from '../recording-rights.ts';
import { findRecording } from '../recording-status-store.ts';
import { BucketAway } from '../stores/bucket-away.ts';
import type { RecordingSource, RecordingStore } from '../stores/recording-store.ts';
import type { Reconciler } from './reconcile.ts';
import { findExpired, type RetentionDeps, removeExpired } from './retention.ts';

const PIECE_BYTES = 1024 * 1024;
const LOOK_MS = 2_000;

export interface UpkeepDeps {
  db: Db;
  access: AccessControl;
  audit: Audit;
  store: RecordingStore;
  reconciler: Pick<Reconciler, 'look' | 'looked'>;
  retention: RetentionDeps;
  openings: PlaybackAudit;
  keys: readonly string[];
  place: string;
  now: () => number;
}

export function upkeepHandlers(deps: UpkeepDeps): Handlers<typeof recordingUpkeepRoutes> {
  const { db, access, audit, store, reconciler, retention, keys, now } = deps;

  /** Who may not know of it hears that there is none. */
  const findReadable = async (actor: Actor, cluster: string, sid: string): Promise<Session> => {
    const session = await findSession(db, cluster, sid);
    if (!session || !mayRecording(access, actor, session, 'list')) throw notFound('recording', sid);
    if (!mayRecording(access, actor, session, 'read')) throw new AppError('denied', 'you may not watch this recording');
    return session;
  };
  const openReadable = async (session: Session): Promise<RecordingSource> => {
    const source = await store.open(session.id).catch((error: unknown) => {
      if (error instanceof BucketAway) throw error;
      throw new AppError('unavailable', 'the folder of recordings cannot be read', { cause: error });
    });
    if (!source) throw notFound('recording', session.id);
    return source;
  };

  return {
    async coverage({ actor, cluster, query }) {
      // What ended a moment ago is looked at first; a store that does not answer is not waited for.
      const looked = reconciler.look().catch(() => {});
      await Promise.race([looked, new Promise((resolve) => setTimeout(resolve, LOOK_MS).unref())]);
      const counted = await measureCoverage(db, {
        cluster,
        from: query.from ?? 0,
        to: query.to ?? now(),
        isSeen: (session) => mayRecording(access, actor, session, 'list'),
      });
      return { ...counted, checked: new Date(reconciler.looked).toISOString() };
    },

    async verify({ actor, cluster, params: { sid } }) {
      const session = await findReadable(actor, cluster, sid);
      const source = await openReadable(session);
      try {
        const { mark, finding } = (await findRecording(db, sid)) ?? {};
        const own = mark?.place === deps.place ? mark : undefined;
        const verdict = await stateOf(source, { keys, sid, running: session.ended === undefined, mark: own });
        const { state, frames, signedMs } = verdict;
        const problem = finding ? { at: 0, ms: 0, reason: finding } : verdict.problem;
        const ok = !finding && (state === 'complete' || state === 'running');
        // Part of the same look as what is played: the player checks what it plays.
        await deps.openings.opened(actor, sid);
        return { sid, ok, checked: frames, signedMs, ...(problem && !ok ? { problem } : {}) };
      } finally {
        await source.close();
      }
    },

    async asciicast({ actor, caller, cluster, params: { sid }, exchange }) {
      const session = await findReadable(actor, cluster, sid);
      requireRecordedAs(session, 'terminal');
      const source = await openReadable(session);
      await noteExport(actor, sid, 'asciicast', exchange.address);
      const isReadable = async () => void (await findReadable(await caller.now(), cluster, sid));
      return bytesOf(source, whileAllowed(toAsciicast(source), isReadable), `${sid}.cast`);
    },

    async statements({ actor, caller, cluster, params: { sid }, query, exchange }) {
      const session = await findReadable(actor, cluster, sid);
      requireRecordedAs(session, 'statements');
      const source = await openReadable(session);
      await noteExport(actor, sid, query.as, exchange.address);
      const isReadable = async () => void (await findReadable(await caller.now(), cluster, sid));
      const lines = query.as === 'sql' ? toSqlText(source) : toJsonLines(source);
      return bytesOf(source, whileAllowed(lines, isReadable), `${sid}.${query.as}`);
    },

    async file({ actor, caller, cluster, params: { sid }, exchange }) {
      const source = await openReadable(await findReadable(actor, cluster, sid));
      await noteExport(actor, sid, 'recording', exchange.address);
      const isReadable = async () => void (await findReadable(await caller.now(), cluster, sid));
      return bytesOf(source, whileAllowed(wholeOf(source), isReadable), `${sid}.rec`);
    },

    async prune({ actor, body }) {
      // It goes by age, whoever was in them: a right to some of them is not enough.
      access.require(actor, { type: 'verb', resource: 'session', verb: 'delete' });
      const gone = body.dryRun ? await findExpired(retention) : await removeExpired(retention, actor);
      const bytes = gone.reduce((sum, { bytes: each }) => sum + each, 0);
      return { removed: gone.map(({ sid }) => sid), bytes, dryRun: body.dryRun };
    },
  };

  async function noteExport(actor: Actor, sid: string, format: string, address: string): Promise<void> {
    const context = { signInId: actor.signInId, sessionId: sid };
    await db.transaction().execute(async (tx) => {
      const fields = { user: actor.username, ...(await namedSession(tx, sid)), format, 'addr.remote': address };
      await audit.emit(tx, recordingExported, fields, context);
    });
  }
}

const INSTEAD = {
  terminal: 'its terminal, as asciicast',
  statements: 'its statements',
  desktop: 'the recording itself, which the player shows',
} as const;

/** A file in a form that has nothing for what was recorded would be empty, and look like a session in which nothing was done. */
function requireRecordedAs({ action }: Session, wanted: 'terminal' | 'statements'): void {
  const { recording, noun } = factsOf(action.kind);
  if (recording === wanted || recording === 'none') return;
  const instead = INSTEAD[recording];
  throw new AppError('conflict', `a session with a ${noun} cannot be taken out in this form: take ${instead}`);
}

function bytesOf(source: RecordingSource, parts: AsyncIterable<string | Buffer>, name: string): ByteReply {
  const bytes = Readable.from(parts, { objectMode: false });
  bytes.once('close', () => void source.close().catch(() => {}));
  return { status: 200, headers: { 'content-disposition': attachmentNamed(name) }, bytes };
}

async function* wholeOf(source: RecordingSource): AsyncGenerator<Buffer> {
  for (let at = 0; at < source.bytes; ) {
    const part = await source.read(at, Math.min(PIECE_BYTES, source.bytes - at));
    if (part.length === 0) return;
    yield part;
    at += part.length;
  }
}
