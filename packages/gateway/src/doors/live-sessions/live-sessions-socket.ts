/** The socket behind the screen of open sessions: the list as it changes, and pictures of what is in sight. */

import {
  LIVE_SESSIONS_SOCKET,
  type LiveSessionsReply,
  liveSessionsCommand,
} from '@gatehouse/contract/sessions/live-frames';
import { parseJson } from '@gatehouse/contract/std/parse-json';
import type { WebSocket } from 'ws';
import type { SignedInSocket } from '../../identity/sockets/signed-in-socket.ts';
import type { Sockets } from '../../identity/sockets/sockets.ts';
import type { ChangeFeed } from '../../platform/change-feed/change-feed.ts';
import { SparingSocket } from '../../platform/http/sparing-socket.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Log } from '../../platform/std/log.ts';
import { SESSION_TOPIC } from '../../sessions/host/session-store.ts';
import { type ActiveSessionDeps, listActive } from '../../sessions/live/active-sessions.ts';
import type { LiveLook, Pictures } from '../../sessions/live/pictures.ts';
import { rowsText } from '../../sessions/live/session-row.ts';

/** A burst of changes is one list, and no console is told more often than this. */
const LIST_EVERY_MS = 300;
const BAD_MESSAGE = 1008;

export interface LiveSocketDeps extends ActiveSessionDeps {
  pictures: Pictures;
  feed: Pick<ChangeFeed, 'subscribe'>;
  log: Log;
}

export function serveLiveSessionsSocket(sockets: Sockets, deps: LiveSocketDeps): void {
  sockets.add(LIVE_SESSIONS_SOCKET, 'hello', (opened) => new LiveSessions(deps, opened).listen());
}

class LiveSessions {
  readonly #deps: LiveSocketDeps;
  readonly #opened: SignedInSocket;
  readonly #socket: WebSocket;
  readonly #sparing: SparingSocket;
  readonly #looking = new Map<string, () => void>();
  /** What the person may look at, by the last decision. */
  #observable: ReadonlySet<string> = new Set();
  #wanted: readonly string[] = [];
  #told = '';
  #timer: NodeJS.Timeout | undefined;
  /** Decided with rights that have changed since: decided again before anything is told. */
  #version = 0;

  constructor(deps: LiveSocketDeps, opened: SignedInSocket) {
    this.#deps = deps;
    this.#opened = opened;
    this.#socket = opened.socket;
    this.#sparing = new SparingSocket(opened.socket);
  }

  listen(): void {
    const { host, feed, access } = this.#deps;
    // Coming here is asking for the list.
    this.#opened.asked();
    const doubt = () => {
      this.#version += 1;
      this.#observable = new Set();
      this.#listSoon();
    };
    const subscription = feed.subscribe([SESSION_TOPIC, 'user'], {
      change: ({ topic }) => (topic === 'user' ? doubt() : this.#listSoon()),
      gap: doubt,
    });
    const forget = [host.onChange(() => this.#listSoon()), access.onChange(doubt)];
    this.#socket.on('close', () => {
      subscription.close();
      for (const stop of [...forget, ...this.#looking.values()]) stop();
      this.#looking.clear();
      clearTimeout(this.#timer);
    });
    this.#socket.on('message', (data: Buffer) => this.#hear(data));
    void this.#list();
  }

  #hear(data: Buffer): void {
    const read = liveSessionsCommand.safeParse(parseJson(data));
    if (!read.success) {
      this.#socket.close(BAD_MESSAGE, 'the message is not understood');
      return;
    }
    this.#wanted = read.data.sids;
    this.#look();
  }

  #listSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#list();
    }, LIST_EVERY_MS);
  }

  async #list(): Promise<void> {
    const version = this.#version;
    try {
      // As they are now: what they may see may have changed since they came.
      const actor = await this.#opened.caller.now();
      if (actor.isNarrowed) return this.#refuse('this token may not follow sessions');
      const sessions = await listActive(this.#deps, actor);
      if (version !== this.#version || this.#socket.readyState !== this.#socket.OPEN) return;
      const observable = sessions.filter(({ participantModes }) => participantModes.includes('observer'));
      this.#observable = new Set(observable.map(({ session }) => session.id));
      const type: LiveSessionsReply['type'] = 'sessions';
      const text = `{"type":"${type}","sessions":${rowsText(sessions)}}`;
      // A list that waits is old when rights have changed: the next one is made then.
      const current = () => {
        if (version === this.#version) return text;
        this.#told = '';
        return undefined;
      };
      if (text !== this.#told) this.#sparing.latest('sessions', current);
      this.#told = text;
      this.#look();
    } catch (error) {
      // Their sign-in is over: the socket closes by that.
      if (error instanceof AppError && error.code === 'not_signed_in') return;
      this.#deps.log.warn({ error }, 'open sessions cannot be listed; trying once more');
      if (this.#socket.readyState === this.#socket.OPEN) this.#listSoon();
    }
  }

  #refuse(message: string): void {
    this.#tell({ type: 'refused', message });
    this.#socket.close(1000, 'refused');
  }

  #look(): void {
    const wanted = new Set(this.#wanted.filter((sid) => this.#observable.has(sid)));
    for (const [sid, stop] of this.#looking) {
      if (wanted.has(sid)) continue;
      stop();
      this.#looking.delete(sid);
    }
    for (const sid of wanted)
      if (!this.#looking.has(sid))
        this.#looking.set(
          sid,
          this.#deps.pictures.look(sid, (look) => this.#show(look)),
        );
  }

  #show(look: LiveLook): void {
    const reply: LiveSessionsReply = look;
    this.#sparing.latest(look.sid, () => (this.#observable.has(look.sid) ? JSON.stringify(reply) : undefined));
  }

  #tell(message: LiveSessionsReply): void {
    this.#sparing.send(JSON.stringify(message));
  }
}
