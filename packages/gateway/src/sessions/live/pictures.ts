/** Pictures of the screens of open sessions: drawn only while somebody looks, and never more often than every two seconds. */
import { Worker } from 'node:worker_threads';
import { type LiveScreen, PICTURE_EVERY_MS } from '@gatehouse/contract/sessions/live-frames';
import type { Log } from '../../std/log.ts';
import { Silence } from '../../std/silence.ts';
import { workerUrl } from '../../std/worker-url.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { PictureReply, PictureRequest } from './picture-messages.ts';

/** What fills a screen many times over; a program that prints more in between is shown by the last of it. */
const MOST_BYTES = 256 * 1024;
const LOOK_EVERY_MS = 500;
/** A screen is drawn in milliseconds; one that takes so long never comes. */
const SILENCE_MS = 10_000;

type OnScreen = (screen: LiveScreen) => void;

interface Looked {
  listeners: Set<OnScreen>;
  /** Drawn up to here. */
  end: number | undefined;
  isDrawing: boolean;
  last: LiveScreen | undefined;
  /** The thread hung on what it prints: it is not drawn again while anybody looks. */
  isHopeless?: boolean;
}

export interface Pictures {
  /** Gives back what ends the looking. The caller has decided that it may be looked at. */
  look(sid: string, onScreen: OnScreen): () => void;
  close(): Promise<void>;
}

interface PictureDeps {
  terminal(sid: string): Terminal | undefined;
  log: Log;
  silenceMs?: number;
  worker?: URL;
}

export function createPictures({
  terminal,
  log,
  silenceMs = SILENCE_MS,
  worker: url = workerUrl('picture-worker', import.meta.url),
}: PictureDeps): Pictures {
  const looked = new Map<string, Looked>();
  /** What the thread has been given, the first of it first. */
  const drawing = new Set<string>();
  const silence = new Silence({
    silenceMs,
    isBusy: () => drawing.size > 0,
    onHung() {
      const [sid = ''] = drawing;
      log.warn(
        { sessionId: sid },
        'the thread that draws screens hangs and is ended; this session is not drawn any more',
      );
      const each = looked.get(sid);
      if (each) each.isHopeless = true;
      void worker?.terminate();
    },
  });
  /** Kept for a while after nobody looks: who looks away and back again costs nothing. */
  const drawnAt = new Map<string, number>();
  let worker: Worker | undefined;
  let exited = Promise.resolve();
  let clock: NodeJS.Timeout | undefined;

  const start = (): Worker => {
    const started = new Worker(url, {
      name: 'pictures',
      resourceLimits: { maxOldGenerationSizeMb: 256 },
    });
    started.unref();
    started.on('message', (reply: PictureReply) => drawn(reply));
    started.on('error', (error) => log.error({ error }, 'screens of sessions cannot be drawn'));
    exited = new Promise((resolve) => {
      started.on('exit', () => {
        worker = undefined;
        drawing.clear();
        silence.stop();
        for (const each of looked.values()) Object.assign(each, { end: undefined, isDrawing: false });
        resolve();
      });
    });
    return started;
  };
  const post = (request: PictureRequest) => {
    worker ??= start();
    worker.postMessage(request);
  };

  const drawn = (screen: PictureReply) => {
    silence.heard();
    drawing.delete(screen?.sid);
    // Under `node --watch` the runtime sends notices of its own through the same port.
    const each = looked.get(screen?.sid);
    if (!each) return;
    each.isDrawing = false;
    if (each.last?.ansi === screen.ansi && each.last.cols === screen.cols && each.last.rows === screen.rows) return;
    each.last = screen;
    for (const listener of each.listeners) listener(screen);
  };

  const isTooSoon = (sid: string) =>
    performance.now() - (drawnAt.get(sid) ?? Number.NEGATIVE_INFINITY) < PICTURE_EVERY_MS;
  const tick = () => {
    for (const sid of drawnAt.keys()) if (!looked.has(sid) && !isTooSoon(sid)) drawnAt.delete(sid);
    for (const [sid, each] of looked) draw(sid, each);
  };

  const draw = (sid: string, each: Looked) => {
    const shown = terminal(sid);
    // What nobody may see now is not drawn either.
    if (!shown || each.isDrawing || each.isHopeless || shown.hosted.flow !== 'live') return;
    if (isTooSoon(sid)) return;
    const { from, end, parts, size } = shown.recent(each.end ?? 0, MOST_BYTES);
    if (each.end === end && each.last?.cols === size.cols && each.last.rows === size.rows) return;
    const isFresh = each.end === undefined || from > each.end;
    each.end = end;
    each.isDrawing = true;
    drawnAt.set(sid, performance.now());
    if (drawing.size === 0) silence.heard();
    drawing.add(sid);
    post({ type: 'draw', sid, isFresh, parts, size });
  };

  return {
    look(sid, onScreen) {
      const each = looked.get(sid) ?? { listeners: new Set(), end: undefined, isDrawing: false, last: undefined };
      looked.set(sid, each);
      each.listeners.add(onScreen);
      if (each.last) onScreen(each.last);
      else draw(sid, each);
      clock ??= setInterval(tick, LOOK_EVERY_MS).unref();
      return () => {
        each.listeners.delete(onScreen);
        if (each.listeners.size > 0 || looked.get(sid) !== each) return;
        looked.delete(sid);
        if (worker) post({ type: 'forget', sid });
        if (looked.size > 0) return;
        clearInterval(clock);
        clock = undefined;
      };
    },
    async close() {
      clearInterval(clock);
      silence.stop();
      looked.clear();
      if (drawing.size > 0) void worker?.terminate();
      worker?.ref();
      worker?.postMessage('close');
      await exited;
    },
  };
}
