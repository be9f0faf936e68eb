/**
 * The screens of open sessions, each played from everything it has printed: for who comes late, and for live pictures.
 * Output is played behind what passes, in another thread and only when much has gathered or somebody asks, so that a program
 * that prints without end costs its readers nothing.
 */
import { Worker } from 'node:worker_threads';
import type { Log } from '../../platform/std/log.ts';
import { Silence } from '../../platform/std/silence.ts';
import { workerUrl } from '../../platform/std/worker-url.ts';
import { WorkerCalls } from '../../platform/threads/worker-calls.ts';
import type { DrawnRows } from './draw-rows.ts';
import type { ScreenReply, ScreenRequest } from './screen-messages.ts';
import type { PrintedPart, ScreenSource } from './screen-source.ts';
import type { FirstPicture, Size } from './session-screen.ts';

/** Played behind what passes when so much has gathered: less than what is held without a recording. */
const BEHIND_BYTES = 96 * 1024;
const BEHIND_EVERY_MS = 1_000;
/** Printed in between, a flood: it is left alone until it rests or somebody asks. */
const FLOOD_BYTES = 2 * 1024 * 1024;
/** What fills every screen hundreds of times; of what lies further back only the settings are known, as they were before. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Between two pieces of one session, those of others have their turn. */
export const PIECE_BYTES = 64 * 1024;
/** A piece is played in milliseconds; one that takes so long never is. */
const SILENCE_MS = 10_000;
/** Times the thread may break while something is drawn; to hang counts as all of them. */
const HOPELESS = 2;

export interface LatePicture extends Size {
  /** Output goes on from here. */
  offset: number;
  ansi: string;
}

export interface SessionScreens {
  /** Its screen now; undefined when it cannot be played. */
  picture(source: ScreenSource): Promise<LatePicture | undefined>;
  rows(source: ScreenSource): Promise<DrawnRows | undefined>;
  /** It has printed something. */
  printed(source: ScreenSource): void;
  forget(sid: string): void;
  close(): Promise<void>;
}

interface Played {
  /** Up to here; undefined: nothing yet. */
  at: number | undefined;
  working: Promise<unknown>;
  /** The thread hung on what it prints, or broke on it twice: it is not played again. */
  isHopeless: boolean;
  broke: number;
  timer: NodeJS.Timeout | undefined;
  /** Where its output ended when it was last looked at. */
  end: number;
}

export interface SessionScreensDeps {
  log: Log;
  silenceMs?: number;
  worker?: URL;
}

export function createSessionScreens({
  log,
  silenceMs = SILENCE_MS,
  worker: url = workerUrl('screen-worker', import.meta.url),
}: SessionScreensDeps): SessionScreens {
  const screens = new Map<string, Played>();
  /** What the thread has been given, the first of it first. */
  const asked = new WorkerCalls<ScreenReply | undefined, { sid: string }>();
  let worker: Worker | undefined;
  let exited = Promise.resolve();
  let isClosed = false;

  /** Whoever is being drawn. All share the memory of the thread: one that breaks may break on another's, so each is tried once more. */
  const blame = (why: string, breaks: number) => {
    const { first } = asked;
    const each = first && screens.get(first.sid);
    if (!each) return;
    each.broke += breaks;
    if (each.broke < HOPELESS) return;
    each.isHopeless = true;
    log.warn({ sessionId: first.sid }, `the thread that draws screens ${why}; this session is not drawn any more`);
  };
  const silence = new Silence({
    silenceMs,
    isBusy: () => asked.size > 0,
    onHung() {
      blame('hangs and is ended', HOPELESS);
      void worker?.terminate();
    },
  });

  const start = (): Worker => {
    const started = new Worker(url, { name: 'screens', resourceLimits: { maxOldGenerationSizeMb: 256 } });
    started.unref();
    started.on('message', (reply: ScreenReply) => {
      silence.heard();
      const lost = reply?.lost === undefined ? undefined : screens.get(reply.lost);
      if (lost) lost.at = undefined;
      asked.resolve(reply?.id, reply);
    });
    started.on('error', (error) => {
      log.error({ error }, 'screens of sessions cannot be drawn');
      blame('failed twice', 1);
    });
    exited = new Promise((resolve) => {
      started.on('exit', () => {
        worker = undefined;
        silence.stop();
        for (const each of screens.values()) each.at = undefined;
        asked.resolveAll(undefined);
        resolve();
      });
    });
    return started;
  };

  const ask = (
    request: Omit<Extract<ScreenRequest, { type: 'play' }>, 'type' | 'id'>,
  ): Promise<ScreenReply | undefined> => {
    if (isClosed) return Promise.resolve(undefined);
    worker ??= start();
    const thread = worker;
    if (asked.size === 0) silence.heard();
    const buffers = request.parts.map(({ bytes }) => bytes.buffer as ArrayBuffer);
    return asked.call((id) => thread.postMessage({ type: 'play', id, ...request } satisfies ScreenRequest, buffers), {
      sid: request.sid,
    });
  };

  const stateOf = (sid: string): Played => {
    const known = screens.get(sid);
    if (known) return known;
    const fresh: Played = {
      at: undefined,
      working: Promise.resolve(),
      isHopeless: false,
      broke: 0,
      timer: undefined,
      end: 0,
    };
    screens.set(sid, fresh);
    return fresh;
  };

  /** One after the other for each session. */
  const play = (source: ScreenSource, want: 'nothing' | 'rows' | 'picture') => {
    const each = stateOf(source.sid);
    const work = each.working.then(() => playOn(source, each, want));
    each.working = work.catch(() => {});
    return work;
  };

  const playOn = async (source: ScreenSource, each: Played, want: 'nothing' | 'rows' | 'picture') => {
    if (each.isHopeless || isClosed) return undefined;
    const { sid } = source;
    let isFresh = each.at === undefined;
    const known = each.at ?? source.start;
    let at = Math.max(known, source.end - MAX_BYTES);
    let expected = known;
    let parts: PrintedPart[] = [];
    const send = async (wanted: typeof want, size: Size) => {
      const isApart = parts.length > 0 && (parts[0]?.offset ?? 0) > expected;
      const sent = joined(parts);
      parts = [];
      const reply = await ask({ sid, isFresh, isApart, parts: sent, size, want: wanted });
      isFresh = false;
      expected = at;
      if (reply) each.at = at;
      return reply;
    };
    let gathered = 0;
    for await (const part of piecesOf(source.read(at))) {
      if (gathered + part.bytes.length > PIECE_BYTES && gathered > 0) {
        const { cols, rows } = parts.at(-1) ?? source.size;
        if (!(await send('nothing', { cols, rows }))) return undefined;
        gathered = 0;
      }
      parts.push(part);
      gathered += part.bytes.length;
      at = part.offset + part.bytes.length;
    }
    const reply = await send(want, source.size);
    return reply && { reply, end: at };
  };

  const catchUp = (source: ScreenSource, each: Played) => {
    each.timer = undefined;
    const { end } = source;
    const grown = end - each.end;
    each.end = end;
    if (isClosed || each.isHopeless || screens.get(source.sid) !== each) return;
    if (grown > FLOOD_BYTES) return look(source, each);
    void play(source, 'nothing').catch((error: unknown) => log.warn({ error }, 'a screen cannot be played'));
  };
  const look = (source: ScreenSource, each: Played) => {
    each.timer ??= setTimeout(() => catchUp(source, each), BEHIND_EVERY_MS).unref();
  };

  return {
    async picture(source) {
      const played = await play(source, 'picture');
      const picture: FirstPicture | undefined = played?.reply.picture;
      if (!played || !picture) return undefined;
      const { cols, rows, ansi, open } = picture;
      return { offset: played.end - open, cols, rows, ansi };
    },
    rows: async (source) => (await play(source, 'rows'))?.reply.rows,
    printed(source) {
      const each = screens.get(source.sid);
      if (source.end - (each?.at ?? 0) < BEHIND_BYTES) return;
      const state = each ?? stateOf(source.sid);
      if (!state.isHopeless) look(source, state);
    },
    forget(sid) {
      clearTimeout(screens.get(sid)?.timer);
      if (screens.delete(sid)) worker?.postMessage({ type: 'forget', sid } satisfies ScreenRequest);
    },
    async close() {
      isClosed = true;
      silence.stop();
      for (const { timer } of screens.values()) clearTimeout(timer);
      if (asked.size > 0) void worker?.terminate();
      worker?.ref();
      worker?.postMessage('close');
      await exited;
    },
  };
}

async function* piecesOf(parts: AsyncIterable<PrintedPart>): AsyncGenerator<PrintedPart> {
  for await (const { offset, bytes, ...size } of parts)
    for (let from = 0; from < bytes.length; from += PIECE_BYTES)
      yield { ...size, offset: offset + from, bytes: bytes.subarray(from, from + PIECE_BYTES) };
}

/** A recording has thousands of small pieces: those of one size are played together. Copied: what is sent is given away. */
function joined(parts: readonly PrintedPart[]): (Size & { bytes: Uint8Array })[] {
  const runs: (Size & { pieces: Uint8Array[] })[] = [];
  for (const { cols, rows, bytes } of parts) {
    const last = runs.at(-1);
    if (last?.cols === cols && last.rows === rows) last.pieces.push(bytes);
    else runs.push({ cols, rows, pieces: [bytes] });
  }
  return runs.map(({ cols, rows, pieces }) => ({ cols, rows, bytes: new Uint8Array(Buffer.concat(pieces)) }));
}
