/** Plays recorded desktops to clients of the wire reference, over a socket of theirs. */
import { factsOf } from '@gatehouse/contract/kinds/kinds';
import {
  COMPAT_DESKTOP_PLAYBACK_SOCKET,
  compatPlaybackCommand,
  MAX_PLAYBACK_SPEED,
  MIN_PLAYBACK_SPEED,
} from '@gatehouse/contract/sessions/compat-desktop';
import { parseJson } from '@gatehouse/contract/std/parse-json';
import type { FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import type { SignedInSocket } from '../../../identity/sockets/signed-in-socket.ts';
import type { Sockets } from '../../../identity/sockets/sockets.ts';
import { closeSoon } from '../../../platform/http/close-soon.ts';
import { watchPulse } from '../../../platform/http/heartbeat.ts';
import { sendThrough } from '../../../platform/http/send-through.ts';
import { AppError, notFound } from '../../../platform/std/app-error.ts';
import type { Log } from '../../../platform/std/log.ts';
import { storeFailure } from '../../../platform/storage/store-failure.ts';
import type { DesktopDecoder } from '../../../sessions/desktop/decoder/desktop-decoder.ts';
import {
  type FindRecordingDeps,
  findPlayed,
  type OpenRecording,
  requirePlayable,
  withRecording,
} from '../playback/with-recording.ts';
import type { PlaybackAudit } from '../playback-audit.ts';
import { findRecording } from '../recording-status-store.ts';
import { playDesktop } from './play-desktop.ts';
import { PlaybackClock } from './playback-clock.ts';

/** Each is drawn by the gateway: it costs more than all that others watch. */
const MAX_PLAYED = 2;
const MAX_COMMAND_BYTES = 1_024;
const BAD_MESSAGE = 1008;
/** Rights may be gone while it plays, and so may the recording. */
const ASK_EVERY_MS = 1_000;
/** Whoever left it standing keeps others from theirs. */
const MAX_PAUSE_MS = 15 * 60_000;

export interface DesktopPlaybackDeps extends FindRecordingDeps {
  openings: PlaybackAudit;
  /** For one alone: what a host once sent must not draw in the recording of another. */
  startDecoder(): Pick<DesktopDecoder, 'open' | 'close'>;
  log: Log;
}

export function serveDesktopPlayback(sockets: Sockets, deps: DesktopPlaybackDeps): void {
  const played = new Set<DesktopPlayback>();
  sockets.add(
    COMPAT_DESKTOP_PLAYBACK_SOCKET,
    'address',
    (opened, request) => new DesktopPlayback(deps, opened, request, played).listen(),
    { refuse: (opened, request, why) => new DesktopPlayback(deps, opened, request, played).refuse(why.message) },
  );
}

const address = z.object({ sid: z.string() });

class DesktopPlayback {
  readonly #deps: DesktopPlaybackDeps;
  readonly #opened: SignedInSocket;
  readonly #socket: WebSocket;
  readonly #request: FastifyRequest;
  readonly #played: Set<DesktopPlayback>;
  readonly #clock = new PlaybackClock();
  #pause: NodeJS.Timeout | undefined;
  #isAsking = false;
  #sent = 0;

  constructor(
    deps: DesktopPlaybackDeps,
    opened: SignedInSocket,
    request: FastifyRequest,
    played: Set<DesktopPlayback>,
  ) {
    this.#deps = deps;
    this.#opened = opened;
    this.#socket = opened.socket;
    this.#request = request;
    this.#played = played;
  }

  listen(): void {
    this.#socket.on('message', (data: Buffer) => this.#hear(data));
    this.#socket.on('close', () => this.#stop());
    // All that is wanted stands in the address.
    this.#opened.asked();
    watchPulse(this.#socket);
    void this.#play()
      .catch((error: unknown) => this.refuse(this.#wordsOf(error)))
      .finally(() => this.#played.delete(this));
  }

  refuse(errorText: string): void {
    this.#last({ message: 'error', errorText });
  }

  async #play(): Promise<void> {
    const { sid } = address.parse(this.#request.params);
    const { caller } = this.#opened;
    if (this.#played.size >= MAX_PLAYED)
      throw new AppError(
        'too_many',
        `${MAX_PLAYED} recordings of desktops are played by this gateway: try again when one is over, or play it in the console`,
      );
    this.#played.add(this);
    const actor = await caller.now();
    const isWhole = await withRecording(this.#deps, actor, { sid }, async (opened) => {
      if (factsOf(opened.session.action.kind).recording !== 'desktop') throw notFound('recording', sid);
      const source = requirePlayable(opened);
      await this.#deps.openings.opened(actor, sid);
      const asking = setInterval(() => void this.#ask(sid), ASK_EVERY_MS).unref();
      return await this.#show(opened, source).finally(() => clearInterval(asking));
    });
    if (isWhole) this.#last({ message: 'end' });
  }

  async #show({ session, untilMs }: OpenRecording, source: ReturnType<typeof requirePlayable>): Promise<boolean> {
    const decoder = this.#deps.startDecoder();
    try {
      return await playDesktop({
        ...{ source, untilMs, desktop: decoder.open(), clock: this.#clock },
        send: (message, ms) => {
          const frame = {
            message: message.toString('base64'),
            ms,
            ei: this.#sent,
            event: 'desktop.recording',
            time: new Date(session.created + ms).toISOString(),
          };
          this.#sent += 1;
          return sendThrough(this.#socket, Buffer.from(JSON.stringify(frame)));
        },
      });
    } finally {
      await decoder.close();
    }
  }

  async #ask(sid: string): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      await findPlayed(this.#deps, await this.#opened.caller.now(), sid);
      if ((await findRecording(this.#deps.db, sid))?.state === 'removed') throw notFound('recording', sid);
    } catch (error) {
      this.refuse(this.#wordsOf(error));
    } finally {
      this.#isAsking = false;
    }
  }

  #stop(): void {
    clearTimeout(this.#pause);
    this.#clock.stop();
  }

  #hear(data: Buffer): void {
    const read = data.length > MAX_COMMAND_BYTES ? undefined : compatPlaybackCommand.safeParse(parseJson(data));
    if (!read?.success) {
      this.#stop();
      closeSoon(this.#socket, BAD_MESSAGE, 'the message is not understood');
      return;
    }
    this.#opened.active();
    if (read.data.action === 'speed') {
      this.#clock.speed = Math.min(MAX_PLAYBACK_SPEED, Math.max(MIN_PLAYBACK_SPEED, read.data.speed));
      return;
    }
    this.#clock.toggle();
    clearTimeout(this.#pause);
    if (this.#clock.isPaused)
      this.#pause = setTimeout(() => this.refuse('it was paused for too long: open it again'), MAX_PAUSE_MS).unref();
  }

  #wordsOf(given: unknown): string {
    const error = storeFailure(given) ?? given;
    // In their words: clients know these two.
    if (error instanceof AppError) return error.code === 'not_found' ? 'session not found' : error.message;
    this.#deps.log.error({ error, requestId: this.#request.id }, 'a recorded desktop cannot be played');
    return 'server error';
  }

  #last(message: object): void {
    this.#stop();
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.send(Buffer.from(JSON.stringify(message)), { binary: true });
    closeSoon(this.#socket, 1000);
  }
}
