/** Plays recordings to clients of the wire reference. */
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type compatPlaybackRoutes, MAX_STREAM_BYTES } from '@gatehouse/contract/recordings/compat-playback';
import type { Handlers } from '../../../platform/http/call.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import { type FindRecordingDeps, requirePlayable, withRecording } from '../playback/with-recording.ts';
import type { PlaybackAudit } from '../playback-audit.ts';
import { isSid } from '../stores/recording-store.ts';
import { printedBytes, printedEvents } from './printed-stream.ts';

const compress = promisify(gzip);

export function compatHandlers(
  deps: FindRecordingDeps & { openings: PlaybackAudit },
): Handlers<typeof compatPlaybackRoutes> {
  return {
    async events({ actor, params, query: { after } }) {
      if (!isSid(params.sid))
        throw new AppError('bad_request', `'${params.sid.slice(0, 60)}' is not the id of a session`);
      return await withRecording(deps, actor, params, async (opened) => {
        const source = requirePlayable(opened);
        await deps.openings.opened(actor, params.sid);
        const events = await printedEvents(source, opened.session);
        return { events: after === undefined ? events : events.filter(({ ei }) => ei > after), startKey: '' };
      });
    },

    async stream({ actor, params, query, exchange }) {
      if (!isSid(params.sid))
        throw new AppError('bad_request', `'${params.sid.slice(0, 60)}' is not the id of a session`);
      const from = Math.max(0, query.offset ?? 0);
      const length = Math.min(MAX_STREAM_BYTES, Math.max(0, query.bytes ?? MAX_STREAM_BYTES));
      return await withRecording(deps, actor, params, async (opened) => {
        const source = requirePlayable(opened);
        await deps.openings.opened(actor, params.sid);
        const bytes = await printedBytes(source, from, length);
        const isPacked = /\bgzip\b/.test(exchange.header('accept-encoding') ?? '');
        const sent = isPacked ? await compress(bytes) : bytes;
        const headers = { vary: 'accept-encoding', ...(isPacked ? { 'content-encoding': 'gzip' } : {}) };
        return { status: 200, headers, bytes: Readable.from([sent]) };
      });
    },
  };
}
