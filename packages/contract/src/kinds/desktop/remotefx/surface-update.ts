/** Updates of RDP in their short form, as far as they hold pictures: which they are, and what stands in those that set the points of a surface. */
import type { Rectangle } from './rectangles.ts';

export const UPDATE = { bitmap: 1, surface: 4 } as const;
export const FRAGMENT = { single: 0, last: 1, first: 2, next: 3 } as const;
const COMMAND = { setBits: 1, marker: 4, streamBits: 6 } as const;
const REMOTE_FX = 3;
const BITS_HEAD = 22;
const MARKER_BYTES = 8;

export interface ShortUpdate {
  code: number;
  fragment: number;
  data: Uint8Array;
}

/** Undefined: it is no message of that form, or holds more than one update, or packed ones. */
export function readUpdate(pdu: Uint8Array): ShortUpdate | undefined {
  if (pdu.length < 3 || pdu[0] !== 0) return undefined;
  const head = (pdu[1] as number) & 0x80 ? 3 : 2;
  if (pdu.length < head + 3) return undefined;
  const what = pdu[head] as number;
  const bytes = (pdu[head + 1] as number) | ((pdu[head + 2] as number) << 8);
  if (what >> 6 !== 0 || head + 3 + bytes !== pdu.length) return undefined;
  return { code: what & 15, fragment: (what >> 4) & 3, data: pdu.subarray(head + 3) };
}

export type SurfaceCommand =
  | { is: 'marker'; isEnd: boolean }
  | { is: 'remotefx'; to: Rectangle; bytes: Uint8Array }
  | { is: 'other' };

/** Undefined where it cannot be taken apart. */
export function readCommands(data: Uint8Array): SurfaceCommand[] | undefined {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const commands: SurfaceCommand[] = [];
  for (let at = 0; at < data.length; ) {
    if (at + MARKER_BYTES > data.length) return undefined;
    const type = view.getUint16(at, true);
    if (type === COMMAND.marker) {
      commands.push({ is: 'marker', isEnd: view.getUint16(at + 2, true) !== 0 });
      at += MARKER_BYTES;
      continue;
    }
    if ((type !== COMMAND.setBits && type !== COMMAND.streamBits) || at + BITS_HEAD > data.length) return undefined;
    const bytes = view.getUint32(at + 18, true);
    const [left, top, right, bottom] = [2, 4, 6, 8].map((field) => view.getUint16(at + field, true)) as [
      ...[number, number, number, number],
    ];
    const from = at + BITS_HEAD;
    if (from + bytes > data.length) return undefined;
    // Flags: another header would follow.
    const isPlain = view.getUint8(at + 11) === 0 && view.getUint8(at + 13) === REMOTE_FX;
    const to = { left, top, width: right - left, height: bottom - top };
    commands.push(isPlain ? { is: 'remotefx', to, bytes: data.subarray(from, from + bytes) } : { is: 'other' });
    at = from + bytes;
  }
  return commands;
}

/** How many rectangles a bitmap update has; undefined where it is a part of one. */
export function bitmapCount({ fragment, data }: ShortUpdate): number | undefined {
  if (fragment !== FRAGMENT.single || data.length < 4) return undefined;
  return (data[2] as number) | ((data[3] as number) << 8);
}

const LONG = 0x8000;

/** One update in a message of its own. */
function shortUpdate(code: number, data: Uint8Array): Uint8Array<ArrayBuffer> {
  const pdu = new Uint8Array(6 + data.length);
  const view = new DataView(pdu.buffer);
  view.setUint16(1, LONG | pdu.length);
  view.setUint8(3, code);
  view.setUint16(4, data.length, true);
  pdu.set(data, 6);
  return pdu;
}

/** Points that are opaque, red first and from the top, as a bitmap that any client draws: 32 bits deep, and not packed. At most 64 by 64. */
export function plainBitmap(
  { left, top, width, height }: Rectangle,
  points: Uint8ClampedArray,
): Uint8Array<ArrayBuffer> {
  const data = new Uint8Array(BITS_HEAD + points.length);
  const view = new DataView(data.buffer);
  const corner = [left + width - 1, top + height - 1];
  const fields = [UPDATE.bitmap, 1, left, top, ...corner, width, height, 32, 0, points.length];
  for (const [number, value] of fields.entries()) view.setUint16(2 * number, value as number, true);
  for (let row = 0; row < height; row += 1)
    for (let column = 0; column < width; column += 1) {
      const from = (row * width + column) * 4;
      const to = BITS_HEAD + ((height - 1 - row) * width + column) * 4;
      data[to] = points[from + 2] as number;
      data[to + 1] = points[from + 1] as number;
      data[to + 2] = points[from] as number;
    }
  return shortUpdate(UPDATE.bitmap, data);
}
