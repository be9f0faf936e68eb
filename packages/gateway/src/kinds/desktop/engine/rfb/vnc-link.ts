/** A connection of VNC that is signed in: what the host draws goes to every page, and what pages say to it as far as they may. */
import type { Duplex } from 'node:stream';
import { contain } from '@gatehouse/tunnel/contain';
import { ByteGrammar } from '../../../../platform/std/byte-grammar.ts';
import {
  CLOSED_BY_HOST,
  type ClipboardTransfer,
  type DesktopEnd,
  DesktopFailure,
  type DesktopSize,
  type DesktopTerms,
  type LinkPage,
  LOST_HOST,
  malformed,
  type PagedLink,
  type ShowPage,
} from '../desktop-link.ts';
import { HostWrites } from '../host-writes.ts';
import { InputRate, MAX_SIZES_PER_SECOND } from '../input-rate.ts';
import { PIXEL_FORMAT, pointerUpdate, sizeUpdate, wantedForm } from './encodings.ts';
import { HostClipboard } from './host-clipboard.ts';
import { hostMessages } from './host-messages.ts';
import { GREETING } from './page-messages.ts';
import { VncPage } from './vnc-page.ts';

/** A whole picture is asked for as often, where something was drawn: who plays a recording can begin at each. */
const WHOLE_PICTURE_MS = 60_000;
/** Another size makes a host draw all anew: it counts for so many events. */
const RESIZE_EVENTS = 100;
/** A text is unpacked, and packed again: of the slowest, a MiB takes a tenth of a second. */
const TEXT_EVENTS = 500;
/** Where no page asks, the gateway does, as often: a host that answers at once with nothing would otherwise be asked without end. */
const OWN_ASK_MS = 40;
/** Who types and asks for no picture is recorded all the same: it is asked for in their place. */
const UNASKED_MS = 1_000;
/** Updates that a page was shown and has not drawn: with fewer, the host makes the next one meanwhile. With as many, it waits for the page. */
const MAX_UNDRAWN = 2;
/** Of the older form, which come unasked: each is eight bytes to the host, and a message to every page here. */
const MAX_TEXTS_PER_SECOND = 20;

export class VncLink implements PagedLink {
  readonly protocol = 'vnc';
  readonly #stream: Duplex;
  readonly #writes: HostWrites;
  readonly #rate = new InputRate();
  readonly #host: ByteGrammar;
  /** Greeted, and not shown anything yet, with the size that they were told. */
  readonly #coming = new Map<VncPage, DesktopSize>();
  /** Shown all that comes. */
  readonly #pages = new Set<VncPage>();
  readonly #pictures: ((bytes: Buffer, kept: Buffer | undefined) => void)[] = [];
  readonly #pointers: ((x: number, y: number, buttons: number) => void)[] = [];
  readonly #sizes: ((size: DesktopSize) => void)[] = [];
  readonly #transfers: ((transfer: ClipboardTransfer) => void)[] = [];
  readonly #beginnings: (() => void)[] = [];
  readonly #ends: ((why: DesktopEnd) => void)[] = [];
  readonly #clipboard = new HostClipboard({
    toHost: (bytes) => this.#write(bytes),
    toPages: (bytes) => {
      this.#host.settle();
      this.#show(bytes, true);
    },
    mayCopy: () => this.#mayCopy,
    copied: (transfer) => this.#copied(transfer),
  });
  #timer: NodeJS.Timeout | undefined;
  #asking: NodeJS.Timeout | undefined;
  #size: DesktopSize;
  /** Of the host, once it has said that its size can be changed. */
  #screen: number | undefined;
  /** Its shape, for who comes later. */
  #pointer: Buffer | undefined;
  /** What it was opened for: asked for once the host says that it can. */
  readonly #wanted: DesktopSize;
  #mayCopy: boolean;
  #isBetween = true;
  /** The host owes an update. */
  #isAsked = false;
  readonly #texts = new InputRate({ perSecond: MAX_TEXTS_PER_SECOND });
  readonly #sizings = new InputRate({ perSecond: MAX_SIZES_PER_SECOND });
  #isSuppressed = false;
  /** Since a whole picture was asked for. */
  #hasDrawn = false;
  #isBeginning = false;
  #over: DesktopEnd | undefined;

  /** `rest`: what the host has said since. */
  constructor(stream: Duplex, terms: DesktopTerms, size: DesktopSize, rest: Buffer) {
    this.#stream = stream;
    this.#writes = new HostWrites(stream, (message) => this.#end({ cause: 'failed', message }));
    this.#size = size;
    this.#wanted = { width: terms.width, height: terms.height };
    this.#mayCopy = terms.clipboard;
    this.#host = new ByteGrammar(
      hostMessages({
        between: () => this.#between(),
        begins: (isUpdate) => this.#begins(isUpdate),
        updated: () => this.#updated(),
        pointer: (rectangle) => {
          this.#pointer = rectangle;
        },
        putUnkept: (bytes) => {
          this.#host.settle();
          this.#show(bytes, true);
        },
        size: () => this.#size,
        sized: (changed, screen) => this.#sized(changed, screen),
        mayCopy: () => this.#mayCopy,
        isHeard: () => this.#texts.take(1),
        copied: (transfer) => this.#copied(transfer),
        extended: (flags, data) => this.#clipboard.heard(flags, data),
      }),
      (bytes) => this.#show(bytes, false),
    );
    stream.on('data', this.#arrived);
    stream.on('end', this.#closed);
    stream.on('close', this.#closed);
    stream.on('error', this.#lost);
    this.#write(wantedForm());
    if (rest.length > 0) this.#arrived(rest);
    if (stream.destroyed || stream.readableEnded) this.#closed();
    else stream.resume();
  }

  get size(): DesktopSize {
    return this.#size;
  }

  openPage(show: ShowPage): LinkPage {
    return new VncPage({
      show,
      serverInit: () => this.#serverInit(),
      toHost: (bytes) => {
        this.#write(bytes);
        this.#askWithin(UNASKED_MS);
      },
      greeted: (page) => this.#greeted(page),
      asked: (page) => {
        page.undrawn = Math.max(0, page.undrawn - 1);
        // What it asks before it was shown anything is asked for it.
        if (this.#pages.has(page)) this.#askAhead();
      },
      closed: (page) => this.#left(page),
      mayPass: () => this.#rate.take(1),
      mayCopy: () => this.#mayCopy && this.#rate.take(TEXT_EVENTS),
      copied: (transfer) => this.#copied(transfer),
      copy: (text) => this.#clipboard.copy(text),
      pointed: (x, y, buttons) => {
        for (const listener of this.#pointers) listener(x, y, buttons);
      },
    });
  }

  greeting(): Buffer {
    const { version, onlyNone, fine } = GREETING;
    return Buffer.concat([version, onlyNone, fine, this.#serverInit()]);
  }

  onPicture(listener: (bytes: Buffer, kept: Buffer | undefined) => void): void {
    this.#pictures.push(listener);
  }

  onBeginning(listener: () => void): void {
    this.#beginnings.push(listener);
    this.#timer ??= setInterval(() => this.#beginAgain(), WHOLE_PICTURE_MS).unref();
  }

  onPointer(listener: (x: number, y: number, buttons: number) => void): void {
    this.#pointers.push(listener);
  }

  onSize(listener: (size: DesktopSize) => void): void {
    this.#sizes.push(listener);
  }

  onClipboard(listener: (transfer: ClipboardTransfer) => void): void {
    this.#transfers.push(listener);
  }

  onEnd(listener: (why: DesktopEnd) => void): void {
    this.#ends.push(listener);
    if (this.#over) listener(this.#over);
  }

  allowClipboard(allowed: boolean): void {
    this.#mayCopy = allowed;
  }

  /** A host of VNC draws what it is asked for. */
  suppressOutput(hidden: boolean): void {
    this.#isSuppressed = hidden;
    if (!hidden) this.#ask();
  }

  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    if (!this.#over) this.#stream.resume();
  }

  resize({ width, height }: DesktopSize): void {
    if (this.#screen === undefined || !this.#rate.take(RESIZE_EVENTS)) return;
    const message = Buffer.alloc(24);
    message[0] = 251;
    message[6] = 1;
    message.writeUInt32BE(this.#screen, 8);
    for (const [at, value] of [width, height].entries()) {
      message.writeUInt16BE(value, 2 + 2 * at);
      message.writeUInt16BE(value, 16 + 2 * at);
    }
    this.#write(message);
  }

  close(): void {
    this.#end({ cause: 'closed', message: 'the connection was closed' });
  }

  #serverInit(): Buffer {
    const head = Buffer.alloc(4);
    head.writeUInt16BE(this.#size.width, 0);
    head.writeUInt16BE(this.#size.height, 2);
    return Buffer.concat([head, PIXEL_FORMAT, Buffer.alloc(4)]);
  }

  #greeted(page: VncPage): void {
    this.#coming.set(page, this.#size);
    if (this.#isBetween) this.#between();
  }

  #left(page: VncPage): void {
    this.#coming.delete(page);
    // Nobody else asks now: what is drawn is still recorded.
    if (this.#pages.delete(page) && this.#pages.size === 0) this.#askWithin(OWN_ASK_MS);
  }

  /** Whoever begins to look here reads all that follows, and a whole picture is asked for them. */
  #between(): void {
    this.#isBetween = true;
    if (this.#coming.size === 0) return;
    this.#host.settle();
    for (const [page, told] of this.#coming) {
      this.#pages.add(page);
      if (!isSame(told, this.#size)) page.show(sizeUpdate(this.#size), false);
      if (this.#pointer) page.show(pointerUpdate(this.#pointer), false);
    }
    this.#coming.clear();
    this.#askForAll();
  }

  #begins(isUpdate: boolean): void {
    this.#isBetween = false;
    if (!isUpdate) return;
    if (!this.#isBeginning) {
      this.#hasDrawn = true;
      return;
    }
    this.#isBeginning = false;
    this.#host.settle();
    for (const listener of this.#beginnings) listener();
  }

  #updated(): void {
    this.#isAsked = false;
    for (const page of this.#pages) page.undrawn += 1;
    // Where there is no page, as while it is held up, nobody says that it was drawn.
    if (this.#pages.size === 0) this.#askWithin(OWN_ASK_MS);
    else this.#askAhead();
  }

  #show(bytes: Buffer, isClipboard: boolean): void {
    for (const page of this.#pages) page.show(bytes, isClipboard);
    for (const listener of this.#pictures) listener(bytes, isClipboard ? undefined : bytes);
  }

  #sized(size: DesktopSize, screen: number | undefined): void {
    const isFirst = this.#screen === undefined && screen !== undefined;
    this.#screen = screen ?? this.#screen;
    if (!isSame(size, this.#size)) {
      if (!this.#sizings.take(1)) throw malformed('the desktop changes its size without end');
      this.#size = size;
      for (const listener of this.#sizes) listener(size);
    }
    if (isFirst && !isSame(size, this.#wanted)) this.resize(this.#wanted);
  }

  #copied(transfer: ClipboardTransfer): void {
    for (const listener of this.#transfers) listener(transfer);
  }

  /** At the latest then, unless somebody does before. */
  #askWithin(ms: number): void {
    if (this.#isAsked || this.#over) return;
    this.#asking ??= setTimeout(() => {
      this.#asking = undefined;
      this.#ask();
    }, ms).unref();
  }

  /** As soon as the fastest page has little left to draw. */
  #askAhead(): void {
    for (const { undrawn } of this.#pages)
      if (undrawn < MAX_UNDRAWN) {
        this.#ask();
        return;
      }
  }

  /** For what has changed, once for all who want it. */
  #ask(): void {
    if (this.#isAsked || this.#isSuppressed) return;
    this.#isAsked = true;
    this.#request(true);
  }

  #askForAll(): void {
    this.#isAsked = true;
    this.#request(false);
  }

  #beginAgain(): void {
    if (this.#isSuppressed || !this.#hasDrawn) return;
    this.#hasDrawn = false;
    this.#isBeginning = true;
    this.#askForAll();
  }

  #request(isIncremental: boolean): void {
    const message = Buffer.alloc(10);
    message[0] = 3;
    message[1] = isIncremental ? 1 : 0;
    message.writeUInt16BE(this.#size.width, 6);
    message.writeUInt16BE(this.#size.height, 8);
    this.#write(message);
  }

  /** A mistake of ours in it ends this desktop alone: the stream may be one of many inside the tunnel of an agent. */
  readonly #peer = {
    where: 'desktop',
    cut: () =>
      this.#end({ cause: 'failed', message: 'the gateway could not read what the host sent; its log says why' }),
  };

  readonly #arrived = contain(this.#peer, (piece: Buffer): void => {
    if (this.#over) return;
    try {
      this.#host.push(piece);
    } catch (error) {
      if (!(error instanceof DesktopFailure)) throw error;
      this.#end({ cause: 'failed', message: `the host sent what is no VNC: ${error.message}` });
    }
  });

  readonly #closed = (): void => this.#end({ cause: 'closed', message: CLOSED_BY_HOST });

  readonly #lost = (): void => this.#end({ cause: 'lost', message: LOST_HOST });

  #write(bytes: Buffer): void {
    if (!this.#over) this.#writes.write(bytes);
  }

  #end(why: DesktopEnd): void {
    if (this.#over) return;
    this.#over = why;
    clearInterval(this.#timer);
    clearTimeout(this.#asking);
    this.#host.stop();
    this.#clipboard.close();
    this.#coming.clear();
    this.#pages.clear();
    this.#stream.off('data', this.#arrived);
    this.#stream.on('error', () => {});
    this.#stream.destroy();
    for (const listener of this.#ends) listener(why);
  }
}

function isSame(one: DesktopSize, other: DesktopSize): boolean {
  return one.width === other.width && one.height === other.height;
}
