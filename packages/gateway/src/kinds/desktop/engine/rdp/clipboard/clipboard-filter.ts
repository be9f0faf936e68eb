/** What passes between the clipboards of a host and a page: text, HTML and pictures, up to a size, each told. Neither side hears of what was kept from it but as an answer that failed. */
import type { ClipboardTransfer } from '../../desktop-link.ts';
import { FieldReader } from '../../field-reader.ts';
import type { ChannelMessage } from '../static-channel.ts';
import {
  CLIP,
  type ClipMessage,
  clipMessage,
  FAIL,
  filterFormats,
  OK,
  readCapabilities,
  readClipMessage,
} from './clipboard-messages.ts';

/** Of what is copied. */
export const MAX_CLIPBOARD_BYTES = 1024 * 1024;
/** With its header, and what some put behind. */
export const MAX_CLIPBOARD_MESSAGE_BYTES = MAX_CLIPBOARD_BYTES + 64;
const FILE_RESPONSE = 9;

export type ClipSide = 'host' | 'page';
const OTHER: Readonly<Record<ClipSide, ClipSide>> = { host: 'page', page: 'host' };
const DIRECTION: Readonly<Record<ClipSide, ClipboardTransfer['direction']>> = { host: 'receive', page: 'send' };

interface SideState {
  hasLongNames: boolean;
  /** What it has offered, as far as the other heard of it. */
  offered: ReadonlySet<number>;
  /** Its list was passed on and is not answered yet: an answer of the other is for it. */
  unanswered: number;
  /** It was asked for what it has, and has not answered. */
  isAsked: boolean;
}

export interface ClipboardSinks {
  send(to: ClipSide, message: Buffer): void;
  told(transfer: ClipboardTransfer): void;
}

const fresh = (): SideState => ({ hasLongNames: false, offered: new Set(), unanswered: 0, isAsked: false });

export class ClipboardFilter {
  readonly #sinks: ClipboardSinks;
  readonly #sides: Readonly<Record<ClipSide, SideState>> = { host: fresh(), page: fresh() };
  /** What the host said first, for a page that comes later. */
  readonly #greeting: Buffer[] = [];
  #isGreeted = false;
  /** Rights may end in the middle. */
  isAllowed = true;

  constructor(sinks: ClipboardSinks) {
    this.#sinks = sinks;
  }

  /** `mayGive`: what this side has may be passed on at this moment, and it may ask for what the other has. */
  hear(side: ClipSide, { length, bytes }: ChannelMessage, mayGive: boolean): void {
    const message = readClipMessage(bytes, length === bytes.length);
    const may = this.isAllowed && mayGive;
    if (message.type === CLIP.dataResponse) this.#response(side, message, may);
    // Nothing else is ever as long.
    else if (length !== bytes.length) return;
    else if (message.type === CLIP.monitorReady && side === 'host') {
      // Of many, one: a host that says it without end must not be remembered for each.
      this.#greeting.splice(1, Infinity, clipMessage(message.type, message.flags));
      this.#pass(side, message);
    } else if (message.type === CLIP.capabilities) this.#capabilities(side, message);
    else if (message.type === CLIP.formatList) this.#list(side, message, may);
    else if (message.type === CLIP.formatListResponse) this.#listAnswered(side, message);
    else if (message.type === CLIP.dataRequest) this.#request(side, message, may);
    else if (message.type === CLIP.fileRequest) this.#refuseFile(side, message);
  }

  #pass(side: ClipSide, { type, flags, body }: ClipMessage): void {
    this.#sinks.send(OTHER[side], clipMessage(type, flags, body));
  }

  #capabilities(side: ClipSide, message: ClipMessage): void {
    const { hasLongNames, rewritten } = readCapabilities(message.body);
    this.#sides[side].hasLongNames = hasLongNames;
    if (side === 'host') this.#greeting.splice(0, Infinity, clipMessage(message.type, message.flags, rewritten));
    // Of a page that came later the host has heard it.
    if (side === 'page' && this.#isGreeted) return;
    if (side === 'page') this.#isGreeted = true;
    this.#pass(side, { ...message, body: rewritten });
  }

  /** For a page that comes in place of another: what that one had, was asked and wanted is over. */
  again(): readonly Buffer[] {
    const { host, page } = this.#sides;
    if (page.isAsked) this.#sinks.send('host', clipMessage(CLIP.dataResponse, FAIL));
    Object.assign(page, fresh());
    host.isAsked = false;
    host.unanswered = 0;
    return this.#greeting;
  }

  #list(side: ClipSide, message: ClipMessage, may: boolean): void {
    const own = this.#sides[side];
    const { ids, body } = filterFormats(message, this.#sides.host.hasLongNames && this.#sides.page.hasLongNames);
    own.offered = new Set(may ? ids : []);
    if (!may) {
      this.#sinks.send(side, clipMessage(CLIP.formatListResponse, OK));
      return;
    }
    own.unanswered += 1;
    this.#pass(side, { ...message, body });
  }

  #listAnswered(side: ClipSide, message: ClipMessage): void {
    const other = this.#sides[OTHER[side]];
    if (other.unanswered === 0) return;
    other.unanswered -= 1;
    this.#pass(side, message);
  }

  #request(side: ClipSide, message: ClipMessage, may: boolean): void {
    const other = this.#sides[OTHER[side]];
    const wanted = new FieldReader(message.body, 'a message of the clipboard').u32();
    if (may && other.offered.has(wanted) && !other.isAsked) {
      other.isAsked = true;
      this.#pass(side, message);
    } else this.#sinks.send(side, clipMessage(CLIP.dataResponse, FAIL));
  }

  /** Only one that was asked for: nobody may push what nobody wants. */
  #response(side: ClipSide, message: ClipMessage, may: boolean): void {
    const own = this.#sides[side];
    if (!own.isAsked) return;
    own.isAsked = false;
    const { length } = message;
    const direction = DIRECTION[side];
    const refused = whyRefused(length, may);
    if (refused === undefined) this.#pass(side, message);
    else this.#sinks.send(OTHER[side], clipMessage(CLIP.dataResponse, FAIL));
    if (refused !== undefined) this.#sinks.told({ direction, length, refused });
    else if ((message.flags & OK) !== 0) this.#sinks.told({ direction, length });
  }

  #refuseFile(side: ClipSide, { body }: ClipMessage): void {
    const stream = new FieldReader(body, 'a message of the clipboard').take(4);
    this.#sinks.send(side, clipMessage(FILE_RESPONSE, FAIL, stream));
  }
}

function whyRefused(length: number, may: boolean): string | undefined {
  if (!may) return 'the clipboard is not allowed here';
  return length > MAX_CLIPBOARD_BYTES ? 'more than 1 MiB is not copied' : undefined;
}
