/** What a page says in RFB: its handshake, which the gateway answers, then keys, pointer, requests, and texts of the clipboard by right. */
import { type ClipboardTransfer, malformed } from '../desktop-link.ts';
import type { Grammar, GrammarStep } from './byte-grammar.ts';
import { ALLOWED_ENCODINGS } from './encodings.ts';
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
const VERSION = Buffer.from('RFB 003.008\n', 'latin1');
const ONLY_NONE = Buffer.of(1, 1);
const FINE = Buffer.alloc(4);
const MAX_ENCODINGS = 128;
/** One of them is enough: several screens are not shown. */
const MAX_SCREENS = 16;

export interface PageSinks {
  toHost(bytes: Buffer): void;
  /** Said by the gateway in the host's place. */
  toPage(bytes: Buffer): void;
  /** As the host said it at the beginning. */
  serverInit(): Buffer;
  /** Counts for as many events: false where there are too many. */
  mayType(): boolean;
  mayCopy(): boolean;
  copied(transfer: ClipboardTransfer): void;
  pointed(x: number, y: number, buttons: number): void;
}

export function* pageMessages(sinks: PageSinks): Grammar {
  sinks.toPage(VERSION);
  if (!(yield { hold: VERSION.length }).equals(VERSION)) throw malformed('the page speaks another version of RFB');
  sinks.toPage(ONLY_NONE);
  if ((yield { hold: 1 })[0] !== 1) throw malformed('the page wants to prove who it is, which the gateway has done');
  sinks.toPage(FINE);
  // Whether others may look at the same time is not the page's to say.
  yield { hold: 1 };
  sinks.toPage(sinks.serverInit());
  for (;;) yield* message((yield { hold: 1 })[0]!, sinks);
}

function* message(type: number, sinks: PageSinks): Generator<GrammarStep, void, Buffer> {
  const { toHost, mayType, pointed } = sinks;
  const whole = (body: Buffer): Buffer => Buffer.concat([Buffer.of(type), body]);
  if (type === MESSAGE.pixelFormat) yield { drop: 19 };
  else if (type === MESSAGE.encodings) yield* encodings(sinks);
  else if (type === MESSAGE.updateRequest) toHost(whole(yield { hold: 9 }));
  else if (type === MESSAGE.key) {
    const body = yield { hold: 7 };
    if (mayType()) toHost(whole(body));
  } else if (type === MESSAGE.pointer) {
    const body = yield { hold: 5 };
    if (!mayType()) return;
    toHost(whole(body));
    pointed(body.readUInt16BE(1), body.readUInt16BE(3), buttonsOf(body[0]!));
  } else if (type === MESSAGE.cutText) yield* cutText(sinks);
  else if (type === MESSAGE.desktopSize) {
    const head = Buffer.from(yield { hold: 7 });
    if (head[5]! > MAX_SCREENS) throw malformed('the page has more screens than there are');
    const screens = yield { hold: 16 * head[5]! };
    if (mayType()) toHost(whole(Buffer.concat([head, screens])));
  } else throw malformed('the page says what it may not');
}

function* encodings({ toHost }: PageSinks): Generator<GrammarStep, void, Buffer> {
  const count = (yield { hold: 3 }).readUInt16BE(1);
  if (count > MAX_ENCODINGS) throw malformed('the page names more encodings than there are');
  const named = yield { hold: 4 * count };
  const wanted = Array.from({ length: count }, (_, at) => named.readInt32BE(4 * at)).filter((each) =>
    ALLOWED_ENCODINGS.includes(each),
  );
  const bytes = Buffer.alloc(4 + 4 * wanted.length);
  bytes[0] = MESSAGE.encodings;
  bytes.writeUInt16BE(wanted.length, 2);
  for (const [at, each] of wanted.entries()) bytes.writeInt32BE(each, 4 + 4 * at);
  toHost(bytes);
}

function* cutText({ toHost, mayType, mayCopy, copied }: PageSinks): Generator<GrammarStep, void, Buffer> {
  const head = Buffer.from(yield { hold: 7 });
  const length = head.readUInt32BE(3);
  const isAllowed = mayCopy() && mayType();
  if (length > MAX_CUT_TEXT_BYTES || !isAllowed) {
    yield { drop: length };
    const refused = isAllowed ? 'more than 1 MiB is not copied' : 'the clipboard is not allowed here';
    copied({ direction: 'send', length, refused });
    return;
  }
  const text = yield { hold: length };
  toHost(Buffer.concat([Buffer.of(MESSAGE.cutText), head, text]));
  copied({ direction: 'send', length });
}

/** RFB counts left, middle, right; ours are left, right, middle. */
function buttonsOf(mask: number): number {
  return (mask & 1) | ((mask & 4) >> 1) | ((mask & 2) << 1);
}
