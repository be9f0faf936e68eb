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
import { playDesktop } from './play-desktop.ts';
import { PlaybackClock } from './playback-clock.ts';

/** Each is drawn by the gateway: it costs more than all that others watch. */
const MAX_PLAYED = 2;
const MAX_COMMAND_BYTES = 1_024;
const BAD_MESSAGE = 1008;
/** Rights may be gone while it plays. */
const ASK_EVERY_MS = 2_000;
/** Whoever left it standing keeps others from theirs. */
const MAX_PAUSE_MS = 15 * 60_000;

export interface DesktopPlaybackDeps extends FindRecordingDeps {
  openings: PlaybackAudit;
  decoder: Pick<DesktopDecoder, 'open'>;
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
  #askedAt = 0;
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
    this.#socket.on('close', () => {
      clearTimeout(this.#pause);
      this.#clock.stop();
    });
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
      this.#askedAt = performance.now();
      return await this.#show(opened, source);
    });
    if (isWhole) this.#last({ message: 'end' });
  }

  async #show({ session, untilMs }: OpenRecording, source: ReturnType<typeof requirePlayable>): Promise<boolean> {
    const desktop = this.#deps.decoder.open();
    try {
      return await playDesktop({
        ...{ source, untilMs, desktop, clock: this.#clock },
        mayGoOn: () => this.#ask(session.id),
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
      desktop.close();
    }
  }

  async #ask(sid: string): Promise<void> {
    if (performance.now() - this.#askedAt < ASK_EVERY_MS) return;
    this.#askedAt = performance.now();
    await findPlayed(this.#deps, await this.#opened.caller.now(), sid);
  }

  #hear(data: Buffer): void {
    const read = data.length > MAX_COMMAND_BYTES ? undefined : compatPlaybackCommand.safeParse(parseJson(data));
    if (!read?.success) {
      this.#socket.close(BAD_MESSAGE, 'the message is not understood');
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
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.send(Buffer.from(JSON.stringify(message)), { binary: true });
    this.#socket.close(1000);
  }
}
