/** A text for the clipboard of a host of VNC, packed as the newer form wants it: nothing is saved, the gateway packs it again. */

/** Provide, of a text. */
const PROVIDE_TEXT = 0x1000_0001;
const MAX_BLOCK = 0xffff;
const ADLER = 65_521;
/** So many may be summed before they do not fit. */
const ADLER_RUN = 3_800;

export function textMessage(text: string): Uint8Array<ArrayBuffer> {
  const letters = new TextEncoder().encode(`${text.replaceAll(/\r?\n/g, '\r\n')}\0`);
  const plain = new Uint8Array(4 + letters.length);
  new DataView(plain.buffer).setUint32(0, letters.length);
  plain.set(letters, 4);
  const packed = stored(plain);
  const message = new Uint8Array(12 + packed.length);
  const view = new DataView(message.buffer);
  message[0] = 6;
  view.setInt32(4, -(4 + packed.length));
  view.setUint32(8, PROVIDE_TEXT);
  message.set(packed, 12);
  return message;
}

/** As zlib writes what it cannot make smaller. */
function stored(bytes: Uint8Array): Uint8Array {
  const blocks = Math.ceil(bytes.length / MAX_BLOCK);
  const packed = new Uint8Array(2 + 5 * blocks + bytes.length + 4);
  const view = new DataView(packed.buffer);
  packed.set([0x78, 0x01]);
  let to = 2;
  for (let from = 0; from < bytes.length; from += MAX_BLOCK) {
    const block = bytes.subarray(from, from + MAX_BLOCK);
    packed[to] = from + MAX_BLOCK >= bytes.length ? 1 : 0;
    view.setUint16(to + 1, block.length, true);
    view.setUint16(to + 3, block.length ^ 0xffff, true);
    packed.set(block, to + 5);
    to += 5 + block.length;
  }
  view.setUint32(to, sumOf(bytes));
  return packed;
}

function sumOf(bytes: Uint8Array): number {
  let [low, high] = [1, 0];
  for (let from = 0; from < bytes.length; from += ADLER_RUN) {
    for (const byte of bytes.subarray(from, from + ADLER_RUN)) {
      low += byte;
      high += low;
    }
    low %= ADLER;
    high %= ADLER;
  }
  return high * 0x1_0000 + low;
}
