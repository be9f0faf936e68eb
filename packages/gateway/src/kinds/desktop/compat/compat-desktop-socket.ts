/** The desktop socket of the wire reference: a thin way in to the same sessions. The gateway draws for its clients, which only show pictures. */
import { randomUUID } from 'node:crypto';
import { assertionResponse } from '@gatehouse/contract/identity/webauthn';
import {
  COMPAT_DESKTOP_SOCKET,
  type CompatSeverity,
  compatDesktopQuery,
} from '@gatehouse/contract/sessions/compat-desktop';
import { type DesktopReply, MAX_CLIPBOARD_BYTES, MIN_DESKTOP_SIDE } from '@gatehouse/contract/sessions/desktop-frames';
import {
  BrokenMessage,
  DIRECTORY_ERROR,
  directoryAcknowledge,
  readFromPage,
} from '@gatehouse/contract/sessions/directory-messages';
import { parseJson } from '@gatehouse/contract/std/parse-json';
import type { FastifyRequest } from 'fastify';
import type { RawData, WebSocket } from 'ws';
import { z } from 'zod';
import type { Identity } from '../../../identity/identity.ts';
import type { SignedInSocket } from '../../../identity/sockets/signed-in-socket.ts';
import { SocketFactor } from '../../../identity/sockets/socket-factor.ts';
import type { Sockets } from '../../../identity/sockets/sockets.ts';
import { closeSoon } from '../../../platform/http/close-soon.ts';
import { watchPulse } from '../../../platform/http/heartbeat.ts';
import { sendThrough } from '../../../platform/http/send-through.ts';
import { SparingSocket } from '../../../platform/http/sparing-socket.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import type { Log } from '../../../platform/std/log.ts';
import { storeFailure } from '../../../platform/storage/store-failure.ts';
import {
  type CompatMessage,
  CompatMessageError,
  CompatMessages,
  encodeChallenge,
  encodeClipboard,
  encodeNotification,
  encodeTile,
} from '../../../sessions/desktop/compat/compat-messages.ts';
import type { DesktopClient, DesktopDecoder } from '../../../sessions/desktop/decoder/desktop-decoder.ts';
import type { SessionEnd } from '../../../sessions/host/session-store.ts';
import type { DesktopSession } from '../desktop-session.ts';
import { type DesktopSessions, PasswordWanted } from '../desktop-sessions.ts';
import type { DesktopViewer, DesktopWire } from '../desktop-viewer.ts';
import { DesktopFailure } from '../engine/desktop-link.ts';
import { PduSplitter } from '../engine/rdp/pdu.ts';
import { DrawnPage } from './drawn-page.ts';
import { buttonPdu, keyPdu, movePdu, type Point, wheelPdu } from './typed-input.ts';

/** Each is drawn by a process of its own. */
const MAX_DRAWN = 2;

export interface CompatDesktopDeps {
  desktops: Pick<DesktopSessions, 'open'>;
  identity: Pick<Identity, 'askForFactor' | 'proveAgain'>;
  /** For one client alone: what a host sends must not speak for anybody at another. */
  startDecoder(): Pick<DesktopDecoder, 'openClient' | 'close'>;
  log: Log;
}

export function serveCompatDesktopSocket(sockets: Sockets, deps: CompatDesktopDeps): void {
  const drawn = new Set<CompatDesktop>();
  sockets.add(
    COMPAT_DESKTOP_SOCKET,
    'address',
    (opened, request) => new CompatDesktop(deps, opened, request, drawn).listen(),
    { refuse: (opened, request, why) => new CompatDesktop(deps, opened, request, drawn).refuse(why) },
  );
}

const address = z.object({ name: z.string().min(1).max(253) });
const keyAnswer = z.union([assertionResponse, z.object({ webauthnAssertionResponse: assertionResponse })]);

class CompatDesktop {
  readonly #deps: CompatDesktopDeps;
  readonly #opened: SignedInSocket;
  readonly #socket: WebSocket;
  readonly #sparing: SparingSocket;
  readonly #request: FastifyRequest;
  readonly #drawn: Set<CompatDesktop>;
  readonly #factor: SocketFactor;
  readonly #messages = new CompatMessages();
  /** Of the client that draws: what is typed must not come into the middle of what it says. */
  readonly #splitter = new PduSplitter();
  readonly #id = randomUUID();
  #decoder: ReturnType<CompatDesktopDeps['startDecoder']> | undefined;
  #client: DesktopClient | undefined;
  #page: DrawnPage | undefined;
  #desktop: DesktopSession | undefined;
  #viewer: DesktopViewer | undefined;
  /** Of their clipboard, while something of it is on its way. */
  #toCopy: string | undefined;
  /** Of files that the host writes: it is not read while they wait. */
  #unsentFiles = 0;
  #pointer: Point = { x: 0, y: 0 };

  constructor(deps: CompatDesktopDeps, opened: SignedInSocket, request: FastifyRequest, drawn: Set<CompatDesktop>) {
    this.#deps = deps;
    this.#opened = opened;
    this.#socket = opened.socket;
    this.#sparing = new SparingSocket(opened.socket);
    this.#request = request;
    this.#drawn = drawn;
    this.#factor = new SocketFactor({
      ...{ identity: deps.identity, caller: opened.caller, request },
      ask: (challenge) => {
        if (challenge.webauthn_challenge) this.#sparing.send(encodeChallenge(challenge));
        else this.refuse(new AppError('mfa_required', 'a role of yours asks for a key at every connection: add one'));
      },
    });
  }

  listen(): void {
    this.#socket.on('message', (data: RawData) => this.#orRefuse(() => this.#hear(data as Buffer)));
    this.#socket.on('close', (code) => this.#closed(code));
    // All that is wanted stands in the address.
    this.#opened.asked();
    void this.#begin().catch((error: unknown) => this.refuse(error));
  }

  refuse(error: unknown): void {
    this.#notify(this.#wordsOf(storeFailure(error) ?? error), 'error');
    this.#close();
  }

  /** At once, and not when they say that they have heard it: they need not. */
  #close(): void {
    this.#stopDrawing();
    closeSoon(this.#socket, 1000);
  }

  #stopDrawing(): void {
    this.#drawn.delete(this);
    this.#page?.close();
    void this.#decoder?.close();
  }

  #orRefuse(handle: () => void): void {
    try {
      handle();
    } catch (error) {
      this.refuse(error);
    }
  }

  #wordsOf(error: unknown): string {
    if (error instanceof PasswordWanted)
      return 'no password is stored for this login, and this client cannot ask for one: connect in the console, or have one stored';
    if (error instanceof DesktopFailure) return [error.message, error.next].filter((text) => text !== '').join('. ');
    if (error instanceof AppError || error instanceof CompatMessageError || error instanceof BrokenMessage)
      return error.message;
    this.#deps.log.error({ error, requestId: this.#request.id }, 'a reference desktop cannot be served');
    return 'the gateway failed; its log says why';
  }

  async #begin(): Promise<void> {
    const { name } = address.parse(this.#request.params);
    const wanted = compatDesktopQuery.safeParse(this.#request.query);
    if (!wanted.success)
      throw new AppError('bad_request', 'a username, and a width and height of at most 8192, are needed');
    this.#takeRoom();
    const { username: login, width, height } = wanted.data;
    const desktop = await this.#deps.desktops.open({
      ...{ caller: this.#opened.caller, address: this.#request.ip, requestId: this.#request.id },
      wanted: {
        ...{ type: 'open', desktop: name, login, scale: 100, keyboard: 0, request: randomUUID() },
        ...{ width: sideOf(width), height: sideOf(height) },
      },
      draws: 'rdp',
      proveFactor: () => this.#proveFactor(),
    });
    if (this.#socket.readyState === this.#socket.OPEN) this.#enter(desktop);
    // Left while the host was dialled: nobody comes back to what they never saw.
    else desktop.hosted.finish({ cause: 'closed', message: 'the page was closed' });
  }

  #takeRoom(): void {
    if (this.#drawn.size >= MAX_DRAWN)
      throw new AppError(
        'too_many',
        `${MAX_DRAWN} desktops are drawn by this gateway for clients like this one: connect in the console, or try again later`,
      );
    this.#drawn.add(this);
  }

  /** Who has not proved who they are yet keeps nobody else out. */
  async #proveFactor(): Promise<void> {
    this.#drawn.delete(this);
    await this.#factor.prove();
    // Whoever has left since would keep their place for ever.
    if (this.#socket.readyState !== this.#socket.OPEN) throw new AppError('unavailable', 'the client went away');
    this.#takeRoom();
  }

  #enter(desktop: DesktopSession): void {
    const { hosted } = desktop;
    const { username, signInId } = this.#opened.caller;
    this.#draw();
    const viewer = desktop.attach({ id: this.#id, mode: 'peer', wire: this.#wire, isOwners: true });
    this.#desktop = desktop;
    this.#viewer = viewer;
    if (!hosted.end)
      hosted.enter({
        ...{ id: this.#id, username, signInId, address: this.#request.ip, mode: 'peer' },
        onRemoved: (end) => this.#wire.end(end),
      });
    watchPulse(this.#socket);
    desktop.begin(viewer);
  }

  #draw(): void {
    this.#decoder = this.#deps.startDecoder();
    const client = this.#decoder.openClient({
      said: (bytes) =>
        this.#orRefuse(() => {
          for (const pdu of this.#splitter.push(bytes)) this.#say(pdu);
        }),
      copied: (text) => this.#copied(text),
    });
    this.#client = client;
    this.#page = new DrawnPage({
      client,
      show: async (tiles) => {
        for (const tile of tiles) if (!(await sendThrough(this.#socket, encodeTile(tile)))) return;
      },
      onFailed: (error) => {
        this.#deps.log.warn({ error, requestId: this.#request.id }, 'a reference desktop cannot be drawn');
        this.refuse(new AppError('unavailable', 'the desktop cannot be drawn by the gateway: connect in the console'));
      },
    });
  }

  readonly #wire: DesktopWire = {
    picture: (bytes, sent) => this.#page?.picture(bytes, sent),
    // Nobody shares a folder here: nothing is asked of it.
    files: (bytes, sent) => this.#sendFiles(bytes, sent),
    unsent: () => (this.#page?.unsent() ?? 0) + this.#unsentFiles,
    tell: (reply) => this.#tell(reply),
    end: (end) => this.#end(end),
  };

  #tell(reply: DesktopReply): void {
    if (reply.type === 'segment') this.#page?.begin({ width: reply.width, height: reply.height });
    if (reply.type === 'notice') this.#notify(reply.text, 'warning');
    if (reply.type === 'shared' && reply.why !== undefined) this.#notify(reply.why, 'warning');
    if (reply.type === 'clipboard' && reply.refused !== undefined) this.#notify(reply.refused, 'warning');
    if (reply.type === 'flow' && reply.flow !== 'live') {
      const [need] = reply.needs;
      const waits = need ? ` ${need.missing} more must join as ${need.modes.join(' or ')}.` : '';
      this.#notify(`The session is ${reply.flow}.${waits}`, 'warning');
    }
  }

  #end({ cause, message }: SessionEnd): void {
    if (cause !== 'closed') this.#notify(message, 'error');
    this.#close();
  }

  #notify(text: string, severity: CompatSeverity): void {
    this.#sparing.send(encodeNotification(text, severity));
  }

  #hear(data: Buffer): void {
    for (const message of this.#messages.push(data)) this.#take(message);
  }

  #take(message: CompatMessage): void {
    switch (message.type) {
      case 'move':
        this.#pointer = { x: message.x, y: message.y };
        this.#type(movePdu(this.#pointer));
        return;
      case 'button':
        this.#type(buttonPdu(message.button, message.isDown, this.#pointer));
        return;
      case 'wheel':
        this.#type(wheelPdu(message.isVertical, message.delta, this.#pointer));
        return;
      case 'key':
        this.#type(keyPdu(message.scanCode, message.isDown));
        return;
      case 'clipboard':
        this.#copy(message.text);
        return;
      case 'factor':
        this.#answer(message.answer);
        return;
      case 'files':
        this.#hearFiles(message.bytes);
        return;
      default:
        message satisfies never;
    }
  }

  /** Before there is a picture nobody knows what they type at, and the client is not through its handshake. */
  #type(pdu: Buffer | undefined): void {
    if (!pdu || !this.#page?.hasShown) return;
    this.#opened.active();
    this.#say(pdu);
  }

  /** As a page would. */
  #say(pdu: Buffer): void {
    if (this.#desktop && this.#viewer) this.#desktop.hear(this.#viewer, pdu);
  }

  #hearFiles(bytes: Buffer): void {
    if (this.#desktop && this.#viewer) {
      this.#desktop.folders.hear(this.#viewer, bytes);
      return;
    }
    const said = readFromPage(bytes);
    if (said.type !== 'announce') return;
    this.#sparing.send(directoryAcknowledge(DIRECTORY_ERROR.failed, said.directory));
    this.#notify('a directory can be shared once the desktop is there', 'warning');
  }

  #sendFiles(bytes: Uint8Array, sent: () => void): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#unsentFiles += bytes.length;
    this.#socket.send(bytes, { binary: true }, () => {
      this.#unsentFiles -= bytes.length;
      sent();
    });
  }

  #copy(text: string): void {
    if (!this.#page?.hasShown || !this.#desktop?.hosted.options.clipboard) return;
    this.#opened.active();
    const isCopying = this.#toCopy !== undefined;
    this.#toCopy = text;
    if (!isCopying) void this.#copyAll();
  }

  /** One at a time, and of what comes meanwhile the last: nobody pastes the others any more. */
  async #copyAll(): Promise<void> {
    for (let text: string | undefined; text !== this.#toCopy; ) {
      text = this.#toCopy ?? '';
      await this.#client
        ?.copy(text)
        .catch(() => this.#notify('the clipboard cannot be given to the desktop', 'warning'));
    }
    this.#toCopy = undefined;
  }

  #copied(text: string): void {
    if (Buffer.byteLength(text) <= MAX_CLIPBOARD_BYTES) this.#sparing.send(encodeClipboard(text));
  }

  #answer(answer: Buffer): void {
    const read = keyAnswer.safeParse(parseJson(answer));
    if (!read.success) throw new AppError('mfa_required', 'the answer of the key is not understood');
    const key = 'webauthnAssertionResponse' in read.data ? read.data.webauthnAssertionResponse : read.data;
    this.#factor.answer({ key });
  }

  #closed(code: number): void {
    this.#stopDrawing();
    this.#factor.abandon();
    const [desktop, viewer] = [this.#desktop, this.#viewer];
    if (!desktop || !viewer) return;
    desktop.hosted.leave(this.#id, code === 1000 || code === 1001 ? 'left' : 'lost');
    desktop.detach(viewer);
  }
}

/** Hosts want even ones, and none so small that nothing fits. */
function sideOf(asked: number): number {
  return Math.max(MIN_DESKTOP_SIDE, asked - (asked % 2));
}
