/** What a page says in RFB: its handshake, which the gateway answers, then keys, pointer, requests, and texts of the clipboard by right. */

import type { Grammar, GrammarStep } from '../../../../platform/std/byte-grammar.ts';
import { type ClipboardTransfer, malformed } from '../desktop-link.ts';
import { ACTION, MAX_PACKED_BYTES, TEXT, unpackText } from './extended-clipboard.ts';
import { MAX_CUT_TEXT_BYTES } from './host-messages.ts';

const MESSAGE = {
  pixelFormat: 0,
  encodings: 2,
  updateRequest: 3,
  key: 4,
  pointer: 5,
  cutText: 6,
  desktopSize: 251,
} as const;

/** What the gateway says in the host's place before it describes the desktop: no page signs in. */
export const GREETING = {
  version: Buffer.from('RFB 003.008\n', 'latin1'),
  onlyNone: Buffer.of(1, 1),
  fine: Buffer.alloc(4),
} as const;
const TOO_LONG = 'more than 1 MiB is not copied';
const MAX_ENCODINGS = 128;
/** One of them is enough: several screens are not shown. */
const MAX_SCREENS = 16;

export interface PageSinks {
  /** Said by the gateway in the host's place. */
  toPage(bytes: Buffer): void;
  /** As the desktop is now. */
  serverInit(): Buffer;
  /** Its client knows what the desktop is: pictures may follow. */
  greeted(): void;
  /** It has drawn what it was sent, and takes more. */
  asked(): void;
  /** Of the owner of the session: it says more than keys and pointer. */
  isDriver(): boolean;
  /** Counts for as many events: false where there are too many. */
  mayType(): boolean;
  mayCopy(): boolean;
  copied(transfer: ClipboardTransfer): void;
  /** A text of the page for the host, in the form that it knows. */
  copy(text: string): void;
  pressed(symbol: number, isDown: boolean): void;
  /** Buttons as RFB counts them. */
  pointed(x: number, y: number, mask: number): void;
}

export function* pageMessages(sinks: PageSinks): Grammar {
  const { version, onlyNone, fine } = GREETING;
  sinks.toPage(version);
  if (!(yield { hold: version.length }).equals(version)) throw malformed('the page speaks another version of RFB');
  sinks.toPage(onlyNone);
  if ((yield { hold: 1 })[0] !== 1) throw malformed('the page wants to prove who it is, which the gateway has done');
  sinks.toPage(fine);
  // Whether others may look at the same time is not the page's to say.
  yield { hold: 1 };
  sinks.toPage(sinks.serverInit());
  sinks.greeted();
  for (;;) yield* message((yield { hold: 1 })[0]!, sinks);
}

function* message(type: number, sinks: PageSinks): Generator<GrammarStep, void, Buffer> {
  // What pictures are made of is for the gateway to say: all pages are shown the same.
  if (type === MESSAGE.pixelFormat) yield { drop: 19 };
  else if (type === MESSAGE.encodings) {
    const count = (yield { hold: 3 }).readUInt16BE(1);
    if (count > MAX_ENCODINGS) throw malformed('the page names more encodings than there are');
    yield { drop: 4 * count };
  } else if (type === MESSAGE.updateRequest) {
    yield { hold: 9 };
    sinks.asked();
  } else if (type === MESSAGE.key) {
    const body = yield { hold: 7 };
    sinks.pressed(body.readUInt32BE(3), body[0] !== 0);
  } else if (type === MESSAGE.pointer) {
    const body = yield { hold: 5 };
    sinks.pointed(body.readUInt16BE(1), body.readUInt16BE(3), body[0]!);
  } else if (type === MESSAGE.cutText) yield* cutText(sinks);
  else if (type === MESSAGE.desktopSize) {
    const head = yield { hold: 7 };
    if (head[5]! > MAX_SCREENS) throw malformed('the page has more screens than there are');
    // Sizes are asked for by the gateway, as often and as large as it lets them be.
    yield { drop: 16 * head[5]! };
  } else throw malformed('the page says what it may not');
}

function* cutText(sinks: PageSinks): Generator<GrammarStep, void, Buffer> {
  const { isDriver, mayType, mayCopy, copied, copy } = sinks;
  const head = Buffer.from(yield { hold: 7 });
  const isPacked = head.readInt32BE(3) < 0;
  const length = Math.abs(head.readInt32BE(3));
  if (!isDriver()) {
    yield { drop: length };
    return;
  }
  const isLong = length > (isPacked ? MAX_PACKED_BYTES : MAX_CUT_TEXT_BYTES);
  const bytes = yield isLong ? { drop: length } : { hold: length };
  // Asked once all of it is there: whoever says the beginning early would keep a right that was taken meanwhile.
  const isAllowed = mayCopy() && mayType();
  if (isLong || !isAllowed) {
    const refused = isAllowed ? TOO_LONG : 'the clipboard is not allowed here';
    copied({ direction: 'send', length, refused });
    return;
  }
  const text = isPacked ? providedText(bytes) : bytes.toString('latin1');
  if (text === undefined) {
    copied({ direction: 'send', length, refused: TOO_LONG });
    return;
  }
  copy(text);
  copied({ direction: 'send', length: isPacked ? Buffer.byteLength(text) : length });
}

function providedText(body: Buffer): string | undefined {
  if (body.length < 4 || body.readUInt32BE(0) !== (ACTION.provide | TEXT)) throw malformed('the page copies no text');
  return unpackText(body.subarray(4));
}
