/** The clipboard of a host of VNC that has the newer form: asked for when it has something, and told when a page has. */
import type { ClipboardTransfer } from '../desktop-link.ts';
import { InputRate } from '../input-rate.ts';
import { ACTION, clientCaps, extendedMessage, packText, plainText, TEXT, unpackText } from './extended-clipboard.ts';

/** Unpacking costs more than sending: a host that has something new all the time is asked no more often. */
const ASK_MS = 250;
/** What a host may make the gateway say: a text of a MiB is asked for in twelve bytes. */
const MAX_ANSWERS_PER_SECOND = 10;

export interface HostClipboardDeps {
  toHost(bytes: Buffer): void;
  /** For pages; no recording keeps it. */
  toPages(bytes: Buffer): void;
  mayCopy(): boolean;
  copied(transfer: ClipboardTransfer): void;
}

export class HostClipboard {
  readonly #deps: HostClipboardDeps;
  readonly #answers = new InputRate({ perSecond: MAX_ANSWERS_PER_SECOND });
  #isExtended = false;
  #isAsked = false;
  #askedAt = Number.NEGATIVE_INFINITY;
  #later: NodeJS.Timeout | undefined;
  /** What a page has copied last, packed once: the host may ask for it as often as it likes. */
  #packed: Buffer | undefined;

  constructor(deps: HostClipboardDeps) {
    this.#deps = deps;
  }

  copy(text: string): void {
    if (!this.#isExtended) {
      this.#deps.toHost(plainText(text));
      return;
    }
    this.#packed = packText(text);
    this.#tell();
  }

  heard(flags: number, data: Buffer): void {
    const hasText = (flags & TEXT) !== 0;
    if ((flags & ACTION.caps) !== 0) {
      this.#isExtended = hasText;
      if (this.#answers.take(1)) this.#deps.toHost(clientCaps());
    } else if ((flags & ACTION.notify) !== 0) {
      if (hasText) this.#ask();
    } else if ((flags & ACTION.peek) !== 0) {
      if (this.#answers.take(1)) this.#tell();
    } else if ((flags & ACTION.request) !== 0) {
      if (hasText && this.#packed && this.#deps.mayCopy() && this.#answers.take(1))
        this.#deps.toHost(extendedMessage(6, ACTION.provide | TEXT, this.#packed));
    } else if ((flags & ACTION.provide) !== 0 && hasText) this.#provided(data);
  }

  close(): void {
    clearTimeout(this.#later);
    this.#packed = undefined;
  }

  #tell(): void {
    this.#deps.toHost(extendedMessage(6, ACTION.notify | (this.#packed ? TEXT : 0)));
  }

  #ask(): void {
    if (!this.#deps.mayCopy()) return;
    const wait = this.#askedAt + ASK_MS - performance.now();
    if (wait > 0) {
      this.#later ??= setTimeout(() => {
        this.#later = undefined;
        this.#ask();
      }, wait).unref();
      return;
    }
    this.#askedAt = performance.now();
    this.#isAsked = true;
    this.#deps.toHost(extendedMessage(6, ACTION.request | TEXT));
  }

  /** Only what was asked for is unpacked. */
  #provided(packed: Buffer): void {
    if (!this.#isAsked) return;
    this.#isAsked = false;
    const { mayCopy, copied, toPages } = this.#deps;
    const text = mayCopy() ? unpackText(packed) : undefined;
    if (text === undefined) {
      const refused = mayCopy() ? 'more than 1 MiB is not copied' : 'the clipboard is not allowed here';
      copied({ direction: 'receive', length: packed.length, refused });
      return;
    }
    toPages(extendedMessage(3, ACTION.provide | TEXT, packText(text)));
    copied({ direction: 'receive', length: Buffer.byteLength(text) });
  }
}
