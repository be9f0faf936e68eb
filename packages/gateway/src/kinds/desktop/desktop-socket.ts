/** The door of pages to desktops: one browser tab on one desktop, as contract/sessions/desktop-frames.ts says. */
import { randomUUID } from 'node:crypto';
import {
  DESKTOP_SOCKET,
  type DesktopCommand,
  type DesktopReply,
  type DesktopRequest,
  desktopCommand,
  desktopRequest,
  FILES_FRAME,
  MAX_PAGE_FRAME,
  PICTURE_FRAME,
  SOUND_FRAME,
} from '@gatehouse/contract/sessions/desktop-frames';
import { BrokenMessage } from '@gatehouse/contract/sessions/directory-messages';
import type { FastifyRequest } from 'fastify';
import type { RawData, WebSocket } from 'ws';
import { z } from 'zod';
import type { Identity } from '../../identity/identity.ts';
import type { SignedInSocket } from '../../identity/sockets/signed-in-socket.ts';
import { SocketFactor } from '../../identity/sockets/socket-factor.ts';
import type { Sockets } from '../../identity/sockets/sockets.ts';
import { closeSoon } from '../../platform/http/close-soon.ts';
import { watchPulse } from '../../platform/http/heartbeat.ts';
import { sendOrCut } from '../../platform/http/send-or-cut.ts';
import type { Log } from '../../platform/std/log.ts';
import type { Joiner } from '../../sessions/host/require-join.ts';
import type { SessionHost } from '../../sessions/host/session-host.ts';
import { endWithPage, type Refusal, refusalOf } from '../../sessions/page-on-session.ts';
import type { DesktopSession } from './desktop-session.ts';
import { type DesktopSessions, type FoundDesktop, PasswordWanted } from './desktop-sessions.ts';
import type { DesktopViewer, DesktopWire } from './desktop-viewer.ts';
import { DesktopFailure } from './engine/desktop-link.ts';
import { isInput } from './engine/page-messages.ts';

/** Not understood; trying again will not help. */
const BAD_MESSAGE = 1008;
/** News to a page that takes nothing: pictures wait for it, and these are few. */
const MAX_UNSENT_BYTES = 16 * 1024 * 1024;

export interface DesktopSocketDeps {
  desktops: DesktopSessions;
  host: Pick<SessionHost, 'endBy'>;
  identity: Pick<Identity, 'askForFactor' | 'proveAgain'>;
  log: Log;
}

export function serveDesktopSocket(sockets: Sockets, deps: DesktopSocketDeps): void {
  sockets.add(DESKTOP_SOCKET, 'hello', (opened, request) => new DesktopConnection(deps, opened, request).listen(), {
    refuse: (opened, request, why) => new DesktopConnection(deps, opened, request).refuse(why),
  });
}

class DesktopConnection {
  readonly #deps: DesktopSocketDeps;
  readonly #opened: SignedInSocket;
  readonly #socket: WebSocket;
  readonly #request: FastifyRequest;
  readonly #factor: SocketFactor;
  readonly #id = randomUUID();
  #isAsked = false;
  #desktop: DesktopSession | undefined;
  #viewer: DesktopViewer | undefined;

  constructor(deps: DesktopSocketDeps, opened: SignedInSocket, request: FastifyRequest) {
    this.#deps = deps;
    this.#opened = opened;
    this.#socket = opened.socket;
    this.#request = request;
    this.#factor = new SocketFactor({
      ...{ identity: deps.identity, caller: opened.caller, request },
      ask: (challenge) => this.#tell({ type: 'factor', challenge }),
    });
  }

  listen(): void {
    this.#socket.on('message', (data: RawData, isBinary: boolean) => {
      try {
        this.#hear(data as Buffer, isBinary);
      } catch (error) {
        const why = error instanceof z.ZodError || error instanceof SyntaxError ? '' : faultOfPage(error);
        if (why === undefined) this.#deps.log.error({ error }, 'a message of a desktop cannot be handled');
        this.#close(why === undefined ? 1011 : BAD_MESSAGE, (why || 'the message is not understood').slice(0, 120));
      }
    });
    this.#socket.on('close', (code) => this.#closed(code));
  }

  refuse(error: unknown): void {
    this.#tell({ type: 'refused', ...this.#wordsOf(error), requestId: this.#request.id });
    this.#close(1000, 'refused');
  }

  #wordsOf(error: unknown): Refusal {
    if (error instanceof PasswordWanted) return { code: 'password', message: error.message };
    if (error instanceof DesktopFailure) {
      const { step, message, next } = error;
      return { code: step, message, ...(next === '' ? {} : { next }) };
    }
    return refusalOf(error, (unknown) =>
      this.#deps.log.error({ error: unknown, requestId: this.#request.id }, 'a desktop cannot be served'),
    );
  }

  #hear(data: Buffer, isBinary: boolean): void {
    if (data.length > MAX_PAGE_FRAME) throw new SyntaxError('too long');
    if (isBinary) {
      this.#heard(data);
      return;
    }
    const message: unknown = JSON.parse(data.toString());
    if (this.#isAsked) {
      this.#obey(desktopCommand.parse(message));
      return;
    }
    const wanted = desktopRequest.parse(message);
    this.#isAsked = true;
    this.#opened.asked();
    void this.#begin(wanted).catch((error: unknown) => this.refuse(error));
  }

  #heard(data: Buffer): void {
    if (data[0] === FILES_FRAME) {
      if (this.#desktop && this.#viewer) this.#desktop.folders.hear(this.#viewer, data.subarray(1));
      return;
    }
    if (data[0] !== PICTURE_FRAME) throw new SyntaxError('no frame of a page');
    const bytes = data.subarray(1);
    // What clients say by themselves, that a picture was taken, keeps nobody signed in.
    if (isInput(this.#desktop?.protocol ?? 'rdp', bytes)) this.#opened.active();
    if (this.#desktop && this.#viewer) this.#desktop.hear(this.#viewer, bytes);
  }

  #obey(command: DesktopCommand): void {
    const [desktop, viewer] = [this.#desktop, this.#viewer];
    switch (command.type) {
      case 'factor':
        this.#factor.answer({ code: command.code, key: command.key });
        return;
      case 'resize':
        if (viewer) desktop?.resize(viewer, command);
        return;
      case 'watch':
        if (viewer) desktop?.hide(viewer, command.isHidden);
        return;
      case 'sound':
        if (viewer) desktop?.sound.want(viewer, command.isOn);
        return;
      case 'unshare':
        if (viewer) desktop?.folders.end(viewer);
        return;
      case 'transfer':
      case 'upload':
      case 'download':
        if (viewer) desktop?.folders.transfer.hear(viewer, command);
        return;
      case 'ping':
        this.#tell({ type: 'pong', id: command.id });
        return;
      case 'end':
        this.#leave(command.reason?.trim());
        return;
      default:
        command satisfies never;
    }
  }

  async #begin(wanted: DesktopRequest): Promise<void> {
    const found = wanted.type === 'attach' ? await this.#find(wanted) : await this.#open(wanted);
    if (!found.desktop) {
      this.#end(found.ended, found.session.recorded);
      return;
    }
    if (this.#socket.readyState === this.#socket.OPEN) this.#enter(found);
    // The page left while the host was dialled: nobody comes back to what it never saw.
    else if (wanted.type === 'open') found.desktop.hosted.finish({ cause: 'closed', message: 'the page was closed' });
  }

  async #open(wanted: Extract<DesktopRequest, { type: 'open' }>): Promise<FoundDesktop> {
    const desktop = await this.#deps.desktops.open({
      ...{ caller: this.#opened.caller, address: this.#request.ip, requestId: this.#request.id, wanted },
      proveFactor: () => this.#factor.prove(),
    });
    return { desktop, mode: 'peer', mfa: desktop.hosted.session.mfa };
  }

  async #find({ sid, mode }: Extract<DesktopRequest, { type: 'attach' }>): Promise<FoundDesktop> {
    const joiner = { caller: this.#opened.caller, proveFactor: () => this.#factor.prove() };
    return this.#deps.desktops.find(joiner, sid, mode);
  }

  #enter({ desktop, mode, mfa }: Extract<FoundDesktop, { desktop: DesktopSession }>): void {
    const { hosted } = desktop;
    const { session } = hosted;
    const { username, signInId } = this.#opened.caller;
    const viewer = desktop.attach({
      ...{ id: this.#id, mode, wire: this.#wire },
      isOwners: username === session.user,
    });
    this.#desktop = desktop;
    this.#viewer = viewer;
    const { action, options } = { action: session.action, options: hosted.options };
    this.#tell({
      type: 'state',
      sid: session.id,
      desktop: { id: action.resource.id, name: action.resource.name },
      login: action.kind === 'desktop' ? action.login : '',
      user: session.user,
      mode,
      created: new Date(session.created).toISOString(),
      protocol: desktop.protocol,
      ...desktop.size,
      clipboard: options.clipboard,
      directories: desktop.protocol === 'rdp' && desktop.folders.isFor(viewer),
      recorded: session.recorded,
    });
    if (!hosted.end)
      hosted.enter({
        ...{ id: this.#id, username, signInId, address: this.#request.ip, mode, mfa },
        onRemoved: (end) => this.#wire.end(end),
      });
    watchPulse(this.#socket);
    desktop.folders.transfer.enter(viewer);
    desktop.begin(viewer);
  }

  readonly #wire: DesktopWire = {
    picture: (bytes, sent) => this.#send(PICTURE_FRAME, bytes, sent),
    files: (bytes, sent) => this.#send(FILES_FRAME, bytes, sent),
    sound: (bytes, sent) => this.#send(SOUND_FRAME, bytes, sent),
    tell: (reply) => this.#tell(reply),
    unsent: () => (this.#socket.readyState === this.#socket.OPEN ? this.#socket.bufferedAmount : 0),
    end: (end) => this.#end(end, this.#desktop?.hosted.session.recorded ?? false),
  };

  #send(type: number, bytes: Uint8Array, sent: () => void): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    const frame = Buffer.allocUnsafe(bytes.length + 1);
    frame[0] = type;
    frame.set(bytes, 1);
    this.#socket.send(frame, sent);
  }

  #end(
    { cause, message }: { cause: Extract<DesktopReply, { type: 'ended' }>['cause']; message: string },
    recorded: boolean,
  ): void {
    this.#tell({ type: 'ended', cause, message, recorded });
    this.#close(1000, 'ended');
  }

  #tell(reply: DesktopReply): void {
    sendOrCut(this.#socket, JSON.stringify(reply), MAX_UNSENT_BYTES);
  }

  /** Nothing that it says afterwards is heard: it need not answer, and may go on for as long as it likes. */
  #close(code: number, reason: string): void {
    closeSoon(this.#socket, code, reason);
  }

  #leave(reason: string | undefined): void {
    const { desktops, host } = this.#deps;
    const closed = {
      ...{ caller: this.#opened.caller, hosted: this.#desktop?.hosted, id: this.#id },
      ...{ mode: this.#viewer?.mode, reason, host },
      asModerator: (joiner: Joiner, sid: string) => desktops.find(joiner, sid, 'moderator'),
    };
    endWithPage(closed).then(
      (isEnded) => isEnded || this.#close(1000, ''),
      (error: unknown) => this.refuse(error),
    );
  }

  #closed(code: number): void {
    this.#factor.abandon();
    const [desktop, viewer] = [this.#desktop, this.#viewer];
    if (!desktop || !viewer) return;
    desktop.hosted.leave(this.#id, code === 1000 || code === 1001 ? 'left' : 'lost');
    desktop.detach(viewer);
  }
}

/** Why a page is cut off, where its bytes are wrong; nothing where the fault is ours. */
function faultOfPage(error: unknown): string | undefined {
  return error instanceof DesktopFailure || error instanceof BrokenMessage ? error.message : undefined;
}
