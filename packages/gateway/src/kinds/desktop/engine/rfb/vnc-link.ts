/** A connection of VNC that is signed in: moves messages between the host and one page, through what each may say. */
import type { Duplex } from 'node:stream';
import { contain } from '@gatehouse/tunnel/contain';
import {
  type ClipboardTransfer,
  type DesktopEnd,
  DesktopFailure,
  type DesktopLink,
  type DesktopSize,
  type DesktopTerms,
} from '../desktop-link.ts';
import { InputRate } from '../input-rate.ts';
import { ByteGrammar } from './byte-grammar.ts';
import { PIXEL_FORMAT } from './encodings.ts';
import { hostMessages } from './host-messages.ts';
import { pageMessages } from './page-messages.ts';

/** A whole picture is asked for as often: who plays a recording can begin at each. */
const WHOLE_PICTURE_MS = 60_000;
/** Another size makes a host draw all anew: it counts for so many events. */
const RESIZE_EVENTS = 100;
/** A host that reads nothing is gone. */
const MAX_UNSENT_BYTES = 8 * 1024 * 1024;

export class VncLink implements DesktopLink {
  readonly protocol = 'vnc';
  readonly #stream: Duplex;
  readonly #name: Buffer;
  readonly #rate = new InputRate();
  readonly #host: ByteGrammar;
  #page: ByteGrammar | undefined;
  readonly #pictures: ((bytes: Buffer, kept: Buffer | undefined) => void)[] = [];
  readonly #pointers: ((x: number, y: number, buttons: number) => void)[] = [];
  readonly #sizes: ((size: DesktopSize) => void)[] = [];
  readonly #transfers: ((transfer: ClipboardTransfer) => void)[] = [];
  readonly #ends: ((why: DesktopEnd) => void)[] = [];
  readonly #timer = setInterval(() => this.#askForAll(), WHOLE_PICTURE_MS).unref();
  #size: DesktopSize;
  /** Of the host, once it has said that its size can be changed. */
  #screen: number | undefined;
  #mayType = false;
  #mayCopy: boolean;
  #over: DesktopEnd | undefined;

  /** `rest`: what the host has said since. */
  constructor(stream: Duplex, terms: DesktopTerms, init: { size: DesktopSize; name: Buffer }, rest: Buffer) {
    this.#stream = stream;
    this.#size = init.size;
    this.#name = init.name;
    this.#mayCopy = terms.clipboard;
    this.#host = new ByteGrammar(
      hostMessages({
        putUnkept: (bytes) => {
          this.#host.settle();
          this.#show(bytes, false);
        },
        size: () => this.#size,
        sized: (size, screen) => this.#sized(size, screen),
        mayCopy: () => this.#mayCopy,
        copied: (transfer) => this.#copied(transfer),
      }),
      (bytes) => this.#show(bytes),
    );
    stream.on('data', this.#arrived);
    stream.on('end', this.#closed);
    stream.on('close', this.#closed);
    stream.on('error', this.#lost);
    this.#write(Buffer.concat([Buffer.alloc(4), PIXEL_FORMAT]));
    if (rest.length > 0) this.#arrived(rest);
    if (stream.destroyed || stream.readableEnded) this.#closed();
    else stream.resume();
  }

  get size(): DesktopSize {
    return this.#size;
  }

  /** Several pages at once would each need a picture of their own: only the one that drives it is heard. */
  fromPage(bytes: Buffer, from: 'driver' | 'peer', mayType: boolean): void {
    if (this.#over || from === 'peer') return;
    this.#mayType = mayType;
    this.#greet().push(bytes);
  }

  onPicture(listener: (bytes: Buffer, kept: Buffer | undefined) => void): void {
    this.#pictures.push(listener);
    // The host speaks first in RFB: so does the gateway in its place, as soon as somebody listens.
    queueMicrotask(() => this.#greet());
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

  channelsAgain(): readonly Buffer[] {
    return [];
  }

  allowClipboard(allowed: boolean): void {
    this.#mayCopy = allowed;
  }

  /** A host of VNC draws what it is asked for, and a page that nobody looks at asks for nothing. */
  suppressOutput(): void {}

  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    if (!this.#over) this.#stream.resume();
  }

  resize({ width, height }: DesktopSize & { scale: number }): void {
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

  #greet(): ByteGrammar {
    this.#page ??= new ByteGrammar(
      pageMessages({
        toHost: (bytes) => this.#write(bytes),
        toPage: (bytes) => this.#show(bytes),
        serverInit: () => this.#serverInit(),
        mayType: () => this.#mayType && this.#rate.take(1),
        mayCopy: () => this.#mayCopy,
        copied: (transfer) => this.#copied(transfer),
        pointed: (x, y, buttons) => {
          for (const listener of this.#pointers) listener(x, y, buttons);
        },
      }),
      () => {},
    );
    return this.#page;
  }

  #serverInit(): Buffer {
    const head = Buffer.alloc(4);
    head.writeUInt16BE(this.#size.width, 0);
    head.writeUInt16BE(this.#size.height, 2);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(this.#name.length);
    return Buffer.concat([head, PIXEL_FORMAT, length, this.#name]);
  }

  #show(bytes: Buffer, isKept = true): void {
    for (const listener of this.#pictures) listener(bytes, isKept ? bytes : undefined);
  }

  #sized(size: DesktopSize, screen: number | undefined): void {
    this.#screen = screen ?? this.#screen;
    if (size.width === this.#size.width && size.height === this.#size.height) return;
    this.#size = size;
    for (const listener of this.#sizes) listener(size);
  }

  #copied(transfer: ClipboardTransfer): void {
    for (const listener of this.#transfers) listener(transfer);
  }

  #askForAll(): void {
    const message = Buffer.alloc(10);
    message[0] = 3;
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

  readonly #closed = (): void => this.#end({ cause: 'closed', message: 'the host closed the connection' });

  readonly #lost = (): void => this.#end({ cause: 'failed', message: 'the connection to the host was lost' });

  #write(bytes: Buffer): void {
    if (this.#over) return;
    this.#stream.write(bytes);
    if (this.#stream.writableLength > MAX_UNSENT_BYTES)
      this.#end({ cause: 'failed', message: 'the host no longer reads what it is sent' });
  }

  #end(why: DesktopEnd): void {
    if (this.#over) return;
    this.#over = why;
    clearInterval(this.#timer);
    this.#stream.off('data', this.#arrived);
    this.#stream.on('error', () => {});
    this.#stream.destroy();
    for (const listener of this.#ends) listener(why);
  }
}
