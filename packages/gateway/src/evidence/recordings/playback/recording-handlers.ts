/** Answers the calls of recordings. What somebody may not see is not there, by any of them. */

import { Readable } from 'node:stream';
import { factsOf } from '@gatehouse/contract/kinds/kinds';
import type { Recording, recordingRoutes } from '@gatehouse/contract/recordings/recordings';
import { loginsIn } from '../../../access/action.ts';
import type { Actor } from '../../../platform/http/actor.ts';
import type { Handlers } from '../../../platform/http/call.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import type { Session } from '../../../sessions/host/session-store.ts';
import { activityStrip } from '../index/activity.ts';
import type { Indexer } from '../index/create-indexer.ts';
import type { IndexCache } from '../index/index-cache.ts';
import type { PlaybackAudit } from '../playback-audit.ts';
import { protocolOf } from '../protocol-of.ts';
import { listKey, listRecorded, readListKey, type SessionFilter } from '../recorded-sessions.ts';
import { mayRecording } from '../recording-rights.ts';
import { findRecordings } from '../recording-status-store.ts';
import { findLines } from '../search/find-lines.ts';
import { searchRecordings } from '../search/search-recordings.ts';
import type { Shots } from '../shots/create-shots.ts';
import { packed } from './packed-bytes.ts';
import { encodePiece, pictureBefore, readPicturePiece } from './picture-piece.ts';
import { BEGINNING, damaged, FIRST_PIECE, pieceKey, readPiece, readPieceKey } from './read-piece.ts';
import type { ToldState } from './recording-status.ts';
import type { Screens } from './screens.ts';
import { visibleSessions } from './visible-sessions.ts';
import { type FindRecordingDeps, requirePlayable, withRecording } from './with-recording.ts';

export interface RecordingHandlerDeps extends FindRecordingDeps {
  cache: IndexCache;
  indexer: Indexer;
  screens: Screens;
  shots: Shots;
  openings: PlaybackAudit;
  now: () => number;
}

const MONTH_MS = 30 * 86_400_000;
/** A page looks at no more sessions than this for those in the state that is asked for. */
const MAX_LOOKED_AT = 2_000;
const OPENED_AT_ONCE = 16;

type Narrowed = Pick<SessionFilter, 'search' | 'user' | 'resource' | 'kind'> & {
  from?: number | undefined;
  to?: number | undefined;
};

export function recordingHandlers(deps: RecordingHandlerDeps): Handlers<typeof recordingRoutes> {
  const { db, access, states, cache, indexer, screens, shots, openings, now } = deps;

  const filterOf = (
    cluster: string,
    { search, user, resource, kind, from, to }: Narrowed,
    visible: SessionFilter['visible'],
  ) => {
    const end = to ?? now();
    return { cluster, visible, from: from ?? end - MONTH_MS, to: end, search, user, resource, kind };
  };

  const toRecording = (actor: Actor, session: Session, told: ToldState): Recording => {
    if (!told.playable || mayRecording(access, actor, session, 'read')) return describe(session, told);
    return { ...describe(session, told), playable: false, reason: 'your roles let you list it, not play it' };
  };

  const tellAll = async (actor: Actor, sessions: readonly Session[]): Promise<Recording[]> => {
    const known = await findRecordings(
      db,
      sessions.map(({ id }) => id),
    );
    const told: Recording[] = [];
    for (let at = 0; at < sessions.length; at += OPENED_AT_ONCE) {
      const part = sessions.slice(at, at + OPENED_AT_ONCE);
      const states_ = await Promise.all(part.map((session) => states.of(session, known.get(session.id))));
      told.push(...part.map((session, index) => toRecording(actor, session, states_[index] as ToldState)));
    }
    return told;
  };

  return {
    async list({ actor, cluster, query }) {
      const filter = filterOf(cluster, query, visibleSessions(db, access, actor, 'list'));
      const isWanted = ({ state, playable }: Recording) =>
        query.state === undefined || (query.state === 'playable' ? playable : state === query.state);
      const recordings: Recording[] = [];
      let after = readListKey(query.startKey);
      for (let looked = 0; looked < MAX_LOOKED_AT; ) {
        const limit = query.limit - recordings.length + 1;
        const found = await listRecorded(db, { ...filter, after, limit });
        const page = found.slice(0, limit - 1);
        const seen = page.filter((session) => mayRecording(access, actor, session, 'list'));
        recordings.push(...(await tellAll(actor, seen)).filter(isWanted));
        looked += page.length;
        const last = page.at(-1);
        if (found.length < limit || !last) return { recordings, startKey: '' };
        after = { created: last.created, id: last.id };
        if (recordings.length >= query.limit) break;
      }
      return { recordings, startKey: after ? listKey(after) : '' };
    },

    async search({ actor, cluster, query }) {
      const visible = visibleSessions(db, access, actor, 'read');
      const filter = filterOf(cluster, query, visibleSessions(db, access, actor, 'list'));
      const { found, next, waiting } = await searchRecordings(db, {
        ...filter,
        alsoVisible: visible,
        text: query.text,
        limit: query.limit,
        after: readListKey(query.startKey),
      });
      const seen = found.filter(
        ({ session }) => mayRecording(access, actor, session, 'list') && mayRecording(access, actor, session, 'read'),
      );
      const told = await tellAll(
        actor,
        seen.map(({ session }) => session),
      );
      const withHits = told.map((recording, index) => {
        const { hits = [], moreHits = false } = seen[index] ?? {};
        return { ...recording, hits, moreHits };
      });
      return {
        // What vanished or broke since it was indexed has no second to open at.
        found: withHits.filter(({ playable, state }) => playable && state !== 'corrupted'),
        startKey: next ? listKey(next) : '',
        waiting,
      };
    },

    async get({ actor, params }) {
      return await withRecording(deps, actor, params, async ({ session, told }) => {
        const running = session.ended === undefined;
        indexer.opened(session.id, running);
        screens.warm();
        const index = await cache.get(session.id);
        const durationMs = Math.max(told.durationMs, index?.durationMs ?? 0);
        const size = index ?? session.size;
        const indexedMs = index ? (index.complete ? durationMs : Math.min(index.ms, durationMs)) : 0;
        return {
          ...toRecording(actor, session, told),
          durationMs,
          activity: index ? activityStrip(index.activity, durationMs) : [],
          markers: index?.markers ?? [],
          markersComplete: index?.markersComplete ?? false,
          cols: size.cols,
          rows: size.rows,
          indexedMs,
        };
      });
    },

    async screen({ actor, params, query: { at } }) {
      return await withRecording(deps, actor, params, async (opened) => {
        const source = requirePlayable(opened);
        requireShownAs(opened.session, 'terminal');
        const { id } = opened.session;
        if (at !== undefined) await openings.opened(actor, id);
        const isWhole = opened.untilMs === Number.POSITIVE_INFINITY;
        return await screens.look(id, source, isWhole ? at : Math.min(at ?? opened.untilMs, opened.untilMs));
      });
    },

    async playback({ actor, params, query: { seek, next } }) {
      return await withRecording(deps, actor, params, async (opened) => {
        const source = requirePlayable(opened);
        requireShownAs(opened.session, 'terminal');
        const { id, size, ended } = opened.session;
        await openings.opened(actor, id);
        const live = ended === undefined;
        if (next === undefined) indexer.opened(id, live);
        const blank = { screen: { ms: 0, ...size, ansi: '' }, next: BEGINNING };
        const drawn = seek ? await screens.play(id, source, Math.min(seek, opened.untilMs)) : blank;
        const from = next === undefined ? drawn.next : readPieceKey(next);
        const piece = await (next === undefined ? readPiece(source, from, FIRST_PIECE) : readPiece(source, from));
        if (piece.atEnd && opened.told.state === 'corrupted') piece.items.push(damaged(piece.items, opened.untilMs));
        return {
          ...(seek === undefined ? {} : { screen: drawn.screen }),
          items: piece.items,
          ...(piece.atEnd && !live ? {} : { next: pieceKey(piece.next) }),
          live,
        };
      });
    },

    async pieces({ actor, params, query: { seek = 0, next }, exchange }) {
      return await withRecording(deps, actor, params, async (opened) => {
        const source = requirePlayable(opened);
        requireShownAs(opened.session, 'desktop');
        const { id, ended } = opened.session;
        await openings.opened(actor, id);
        const live = ended === undefined;
        if (next === undefined) {
          indexer.opened(id, live);
          if (!live) shots.opened(id);
        }
        const ms = Math.min(seek, opened.untilMs);
        const { first, from } =
          next === undefined
            ? await pictureBefore(source, ms, await shots.before(id, ms))
            : { first: [], from: readPieceKey(next) };
        const piece = await readPicturePiece(source, from, next === undefined ? ms : undefined);
        const damaged = piece.isDamaged || (piece.atEnd && opened.told.state === 'corrupted');
        const isLast = piece.atEnd && (!live || damaged);
        const head = { live, ...(isLast ? {} : { next: pieceKey(piece.next) }), ...(damaged ? { damaged } : {}) };
        return await packed(exchange, encodePiece(head, [...first, ...piece.items]));
      });
    },

    async picture({ actor, params, query: { at } }) {
      return await withRecording(deps, actor, params, async (opened) => {
        requirePlayable(opened);
        requireShownAs(opened.session, 'desktop');
        const { id, ended } = opened.session;
        if (at !== undefined) await openings.opened(actor, id);
        if (ended !== undefined) shots.opened(id);
        const bytes = await shots.picture(id, Math.min(at ?? opened.untilMs, opened.untilMs));
        return { status: 200, headers: { 'content-type': 'image/png' }, bytes: bytes && Readable.from([bytes]) };
      });
    },

    async find({ actor, params, query: { text } }) {
      return await withRecording(deps, actor, params, async (opened) => {
        requirePlayable(opened);
        const { id, ended } = opened.session;
        await openings.opened(actor, id);
        indexer.opened(id, ended === undefined);
        const { hits, complete } = await findLines(db, id, text);
        return { hits: hits.filter(({ ms }) => ms <= opened.untilMs), complete };
      });
    },
  };
}

/** What a terminal would make of a picture is noise, and what a desktop's client would make of text is nothing. */
function requireShownAs({ action }: Session, wanted: 'desktop' | 'terminal'): void {
  const { recording, noun } = factsOf(action.kind);
  if ((recording === 'desktop') === (wanted === 'desktop')) return;
  throw new AppError(
    'conflict',
    wanted === 'desktop'
      ? `a session with a ${noun} is no picture: ask for its playback`
      : `a session with a ${noun} is a picture, which the player of the console shows`,
  );
}

function describe({ id, action, user, participants, created, ended }: Session, told: ToldState): Recording {
  const { resource } = action;
  const time = (ms: number) => new Date(ms).toISOString();
  return {
    sid: id,
    kind: factsOf(action.kind).sessionKind,
    resource: { kind: action.kind, id: resource.id, name: resource.name },
    login: loginsIn(action)[0] ?? '',
    ...('dbName' in action && action.dbName !== undefined ? { database: action.dbName } : {}),
    ...protocolOf(resource),
    ...(action.inside === undefined ? {} : { inside: action.inside }),
    owner: user,
    users: [user, ...participants.filter((name) => name !== user)],
    started: time(created),
    ...(ended ? { ended: time(ended.at) } : {}),
    durationMs: told.durationMs,
    state: told.state,
    playable: told.playable,
    reason: told.reason,
    bytes: told.bytes,
  };
}
