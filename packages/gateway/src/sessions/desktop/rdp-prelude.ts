/** What a client that comes later must be told of an RDP session before it can draw: the handshake as it was, with the newest size, and headers that are said only once. */
import type { PictureSize } from './desktop-recorder.ts';
import { demandedSize, leavesOpen, primerOf, remoteFxHeaders, SHARE_DATA_TYPES, shareDataType } from './rdp-marks.ts';

/** No host needs as much for a handshake. */
const MAX_OPENING_BYTES = 128 * 1024;

/** Four are usual. */
const MAX_ACTIVATION_PDUS = 64;

const OF_ACTIVATION: readonly (number | undefined)[] = Object.values(SHARE_DATA_TYPES);

export type PreludeStep =
  /** Part of a handshake: of the first, or of one that begins anew because the size has changed. */
  | 'handshake'
  /** The size has changed: clients that did not ask for it begin anew, and this is for those. */
  | 'again'
  /** The handshake is over with this one. */
  | 'active'
  /** It came in the middle of a handshake that a client which begins there has yet to make. */
  | 'early'
  | 'picture';

export class RdpPrelude {
  /** Until the host says what it can. */
  #opening: Buffer[] = [];
  #openingBytes = 0;
  /** From then on until it draws: the newest. */
  #activation: Buffer[] = [];
  #headers: Buffer | undefined;
  #isActive = false;
  #size: PictureSize | undefined;
  #isOpen = false;

  /** Each PDU of the host in turn, as a recording keeps it. */
  follow(pdu: Buffer): PreludeStep {
    const size = demandedSize(pdu);
    if (size) {
      const isAgain = this.#size !== undefined;
      this.#size = size;
      this.#activation = [Buffer.from(pdu)];
      this.#isActive = false;
      this.#isOpen = false;
      return isAgain ? 'again' : 'handshake';
    }
    if (!this.#size) {
      this.#openingBytes += pdu.length;
      if (this.#openingBytes <= MAX_OPENING_BYTES) this.#opening.push(Buffer.from(pdu));
      return 'handshake';
    }
    if (!this.#isActive) {
      const type = shareDataType(pdu);
      if (!OF_ACTIVATION.includes(type)) return 'early';
      // A host that never comes to the end of it.
      if (this.#activation.length >= MAX_ACTIVATION_PDUS && type !== SHARE_DATA_TYPES.fontMap) return 'early';
      this.#activation.push(Buffer.from(pdu));
      if (type !== SHARE_DATA_TYPES.fontMap) return 'handshake';
      this.#isActive = true;
      return 'active';
    }
    this.#isOpen = leavesOpen(pdu) ?? this.#isOpen;
    this.#headers = remoteFxHeaders(pdu) ?? this.#headers;
    return 'picture';
  }

  /** Another one may begin to draw here: the handshake is over, and no update goes on in the next PDU. */
  get isBoundary(): boolean {
    return this.#isActive && !this.#isOpen;
  }

  get size(): PictureSize {
    return this.#size ?? { width: 0, height: 0 };
  }

  /** What comes before the host says what it can. */
  get opening(): readonly Buffer[] {
    return this.#opening;
  }

  /** Undefined: there is nothing that it would have missed. */
  primer(): Buffer | undefined {
    return this.#headers && primerOf(this.#headers);
  }

  /** For a client that begins now. */
  all(): Buffer[] {
    const primer = this.primer();
    return [...this.#opening, ...this.#activation, ...(primer ? [primer] : [])];
  }
}

/** Hosts say little in between: shapes of pointers. */
const MAX_EARLY_BYTES = 1024 * 1024;

export interface SegmentedPdus {
  /** A client that knows nothing begins before these. */
  segment?: PictureSize;
  pdus: readonly Buffer[];
}

/** Makes of what a host sends what clients can draw that never asked for a size: where it changes, they are begun anew. */
export class RdpSegments {
  readonly prelude = new RdpPrelude();
  #early: Buffer[] = [];
  #earlyBytes = 0;

  follow(pdu: Buffer): SegmentedPdus {
    const { prelude } = this;
    const step = prelude.follow(pdu);
    if (step === 'again') {
      this.#early = [];
      this.#earlyBytes = 0;
      return { segment: prelude.size, pdus: [...prelude.opening, pdu] };
    }
    if (step === 'early') {
      this.#earlyBytes += pdu.length;
      // A copy: it waits, and what it came in with is larger.
      if (this.#earlyBytes <= MAX_EARLY_BYTES) this.#early.push(Buffer.from(pdu));
      return { pdus: [] };
    }
    if (step !== 'active') return { pdus: [pdu] };
    const primer = prelude.primer();
    return { pdus: [pdu, ...(primer ? [primer] : []), ...this.#early.splice(0)] };
  }
}
