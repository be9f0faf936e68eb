/** Names of files between their bytes and the text that stands for them, both ways without loss; see contract/files/paths.ts. */
import { RAW_BYTES } from '@gatehouse/contract/kinds/node/files/paths';

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const RAW = /[\uf780-\uf7ff]/;

export function textOfName(bytes: Uint8Array): string {
  try {
    const text = strict.decode(bytes);
    if (!RAW.test(text)) return text;
  } catch {
    // Not text as a whole; parts of it may be.
  }
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const length = characterAt(bytes, at);
    text += length === 0 ? rawByte(bytes[at] as number) : strict.decode(bytes.subarray(at, at + length));
    at += Math.max(1, length);
  }
  return text;
}

export function bytesOfName(text: string): Buffer {
  if (!RAW.test(text)) return Buffer.from(text);
  return Buffer.concat(
    [...text].map((character) => {
      const code = character.charCodeAt(0);
      const isRaw = code >= RAW_BYTES.first && code <= RAW_BYTES.last;
      return isRaw ? Buffer.from([code - RAW_BYTES.offset]) : Buffer.from(character);
    }),
  );
}

/** How many bytes the character there has; 0 when it is none, or one that stands for a byte itself. */
function characterAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at] as number;
  const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (at + length > bytes.length) return 0;
  try {
    return RAW.test(strict.decode(bytes.subarray(at, at + length))) ? 0 : length;
  } catch {
    return 0;
  }
}

function rawByte(byte: number): string {
  return String.fromCharCode(RAW_BYTES.offset + byte);
}
