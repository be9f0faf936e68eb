/** One page on a connection of VNC: greeted by the gateway in the host's place, and heard as far as it may speak. What it holds pressed is let go of when it leaves: a host repeats a key for as long as nobody does. */

import { ByteGrammar } from '../../../../platform/std/byte-grammar.ts';
import type { ClipboardTransfer, LinkPage, ShowPage } from '../desktop-link.ts';
import { pageMessages } from './page-messages.ts';

/** More than anybody has fingers. */
const MAX_PRESSED = 32;

export interface VncPageDeps {
  show: ShowPage;
  serverInit(): Buffer;
  toHost(bytes: Buffer): void;
  /** Its client knows what the desktop is: it waits for a whole picture. */
  greeted(page: VncPage): void;
  asked(page: VncPage): void;
  closed(page: VncPage): void;
  /** False where there are too many events. */
  mayPass(): boolean;
  mayCopy(): boolean;
  copied(transfer: ClipboardTransfer): void;
  copy(text: string): void;
  /** Buttons as recordings count them. */
  pointed(x: number, y: number, buttons: number): void;
}

export class VncPage implements LinkPage {
  readonly show: ShowPage;
  /** Updates of the host that it was shown, and for which it has not asked for more. */
  undrawn = 0;
  readonly #deps: VncPageDeps;
  readonly #grammar: ByteGrammar;
  readonly #pressed = new Set<number>();
  /** Where the pointer is, while a button is down. */
  #held: { x: number; y: number } | undefined;
  #from: 'driver' | 'peer' = 'peer';
  #mayType = false;
  #isClosed = false;
  /** With what is being heard. */
  #hasTyped = false;

  constructor(deps: VncPageDeps) {
    this.#deps = deps;
    this.show = deps.show;
    this.#grammar = new ByteGrammar(
      pageMessages({
        toPage: (bytes) => deps.show(bytes, false),
        serverInit: deps.serverInit,
        greeted: () => deps.greeted(this),
        asked: () => deps.asked(this),
        isDriver: () => this.#from === 'driver',
        mayType: () => this.#mayType && deps.mayPass(),
        mayCopy: deps.mayCopy,
        copied: deps.copied,
        copy: deps.copy,
        pressed: (symbol, isDown) => this.#press(symbol, isDown),
        pointed: (x, y, mask) => this.#point(x, y, mask),
      }),
      () => {},
    );
  }

  hear(bytes: Buffer, from: 'driver' | 'peer', mayType: boolean): boolean {
    if (this.#isClosed) return false;
    this.#from = from;
    this.#mayType = mayType;
    this.#hasTyped = false;
    this.#grammar.push(bytes);
    return this.#hasTyped;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const symbol of this.#pressed) this.#deps.toHost(keyEvent(symbol, false));
    if (this.#held) this.#deps.toHost(pointerEvent(this.#held.x, this.#held.y, 0));
    this.#deps.closed(this);
  }

  /** What it pressed it may always let go of. */
  #press(symbol: number, isDown: boolean): void {
    const isMine = this.#pressed.has(symbol);
    if (isDown ? !this.#mayType || !this.#deps.mayPass() : !isMine) return;
    if (isDown && !isMine && this.#pressed.size >= MAX_PRESSED) return;
    if (isDown) this.#pressed.add(symbol);
    else this.#pressed.delete(symbol);
    this.#hasTyped = true;
    this.#deps.toHost(keyEvent(symbol, isDown));
  }

  #point(x: number, y: number, mask: number): void {
    const letsGo = this.#held !== undefined && mask === 0;
    if (!letsGo && (!this.#mayType || !this.#deps.mayPass())) return;
    this.#hasTyped = true;
    this.#held = mask === 0 ? undefined : { x, y };
    this.#deps.toHost(pointerEvent(x, y, mask));
    this.#deps.pointed(x, y, buttonsOf(mask));
  }
}

function keyEvent(symbol: number, isDown: boolean): Buffer {
  const message = Buffer.of(4, isDown ? 1 : 0, 0, 0, 0, 0, 0, 0);
  message.writeUInt32BE(symbol, 4);
  return message;
}

function pointerEvent(x: number, y: number, mask: number): Buffer {
  const message = Buffer.of(5, mask, 0, 0, 0, 0);
  message.writeUInt16BE(x, 2);
  message.writeUInt16BE(y, 4);
  return message;
}

/** RFB counts left, middle, right; ours are left, right, middle. */
function buttonsOf(mask: number): number {
  return (mask & 1) | ((mask & 4) >> 1) | ((mask & 2) << 1);
}
