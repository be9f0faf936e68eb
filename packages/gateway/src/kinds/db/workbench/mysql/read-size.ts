/** How long a value is, as it stands before it in a row. */
import { malformed } from '../../engine/db-failure.ts';
import type { ReadSize } from '../thread/row-cells.ts';

const SIZE_BYTES: Readonly<Record<number, 2 | 3 | 8>> = { 252: 2, 253: 3, 254: 8 };

export const readSize: ReadSize = (bytes, at) => {
  const first = bytes[at];
  if (first === undefined) return undefined;
  if (first < 0xfb) return { size: first, to: at + 1 };
  if (first === 0xfb) return { size: null, to: at + 1 };
  const count = SIZE_BYTES[first];
  if (count === undefined) throw malformed('a value whose size is none');
  const to = at + 1 + count;
  if (to > bytes.length) return undefined;
  return { size: count === 8 ? Number(bytes.readBigUInt64LE(at + 1)) : bytes.readUIntLE(at + 1, count), to };
};
