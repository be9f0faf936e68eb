/** Whether bytes end in the middle of an escape sequence or of a character: a screen drawn there could not be gone on with. */

const ESCAPE = 0x1b;
/** What ends a string, besides ESC \, which is a sequence of its own: BEL, CAN, SUB. */
const ENDS = [0x07, 0x18, 0x1a];
/** What follows ESC and begins a string: DCS, SOS, OSC, PM, APC. */
const BEGINS_STRING = 'PX]^_';

export function endsInside(bytes: Buffer): boolean {
  const at = bytes.lastIndexOf(ESCAPE);
  return (at >= 0 && !isWhole(bytes.subarray(at + 1))) || endsInsideCharacter(bytes);
}

/** Whether the sequence ends somewhere in what follows its escape character. */
function isWhole(rest: Buffer): boolean {
  const [first] = rest;
  if (first === undefined) return false;
  const sign = String.fromCharCode(first);
  if (BEGINS_STRING.includes(sign)) return ENDS.some((end) => rest.includes(end));
  if (sign === '[') return rest.subarray(1).some((byte) => byte >= 0x40);
  // Intermediate characters, then one that ends it.
  return first >= 0x30 || rest.some((byte) => byte >= 0x30);
}

/** Bytes at the end that begin a UTF-8 character and do not finish it. */
export function endsInsideCharacter(bytes: Uint8Array): boolean {
  return openCharacterBytes(bytes) > 0;
}

export function openCharacterBytes(bytes: Uint8Array): number {
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
