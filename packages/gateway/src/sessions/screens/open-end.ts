/** Where output ends in the middle of a character or of a control sequence, so that nobody begins there. */

/** More of a sequence than this is a string, such as a picture, and not worth having again. */
const TAIL_BYTES = 4 * 1024;
const ESCAPE = 0x1b;
/** Of the pinned terminal: outside of any sequence, and within the strings. */
const GROUND = 0;
const SOS_STRING = 7;
const OSC_STRING = 8;
const FIRST_DCS = 9;

export class OpenEnd {
  #tail: Buffer = Buffer.alloc(0);

  wrote(bytes: Uint8Array): void {
    this.#tail =
      bytes.length >= TAIL_BYTES
        ? Buffer.from(bytes.subarray(-TAIL_BYTES))
        : Buffer.concat([this.#tail.subarray(-(TAIL_BYTES - bytes.length)), bytes]);
  }

  /** How many bytes are open by the state of the parser; where they are too many, what puts another one into a state alike. */
  at(state: number): { open: number; goesOn: string } {
    if (state === GROUND) return { open: openCharacterBytes(this.#tail), goesOn: '' };
    const begins = this.#tail.lastIndexOf(ESCAPE);
    if (begins >= 0) return { open: this.#tail.length - begins, goesOn: '' };
    // Nothing is known by these names, so nothing is done at their end.
    if (state === OSC_STRING) return { open: 0, goesOn: '\x1b]99999;' };
    if (state === SOS_STRING) return { open: 0, goesOn: '\x1bX' };
    return { open: 0, goesOn: state >= FIRST_DCS ? '\x1bPz' : '' };
  }
}

function openCharacterBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return wantedBytes(byte) > back ? back : 0;
  }
  return 0;
}

function wantedBytes(first: number): number {
  if (first >= 0xf0) return 4;
  return first >= 0xe0 ? 3 : 2;
}
