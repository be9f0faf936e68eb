/** What happens on a desktop as items of a recording. Written by us, read as if by anybody. */
import { z } from 'zod';
import type { DesktopNote, PictureSize } from '../../../sessions/desktop/desktop-recorder.ts';

/** Hosts and people name things: no note is longer than somebody reads. */
const MAX_NAME_CHARACTERS = 256;
const POINTER_BYTES = 5;

const side = z.number().int().min(0).max(0xffff);

export const segmentItem = z.object({ protocol: z.enum(['rdp', 'vnc']), width: side, height: side });

export const noteItem = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('clipboard'),
    direction: z.enum(['send', 'receive']),
    length: z.number().int().min(0),
    refused: z.string().optional(),
  }),
  z.object({ kind: z.literal('share'), name: z.string() }),
  z.object({ kind: z.literal('take-over'), user: z.string() }),
]);

export interface PointerItem {
  x: number;
  y: number;
  /** Bits: 1 left, 2 right, 4 middle. */
  buttons: number;
}

export function encodeSegment(protocol: 'rdp' | 'vnc', { width, height }: PictureSize): Buffer {
  return json({ protocol, width: within(width), height: within(height) });
}

export function encodeNote(note: DesktopNote): Buffer {
  const cut = (text: string) => text.slice(0, MAX_NAME_CHARACTERS);
  switch (note.kind) {
    case 'clipboard': {
      const { kind, direction, length, refused } = note;
      return json({ kind, direction, length, ...(refused === undefined ? {} : { refused: cut(refused) }) });
    }
    case 'share':
      return json({ kind: note.kind, name: cut(note.name) });
    case 'take-over':
      return json({ kind: note.kind, user: cut(note.user) });
    default:
      return note satisfies never;
  }
}

/** For people, as the timeline has it. */
export function noteText(note: z.output<typeof noteItem>): string {
  switch (note.kind) {
    case 'clipboard': {
      const way = note.direction === 'send' ? 'to the desktop' : 'from the desktop';
      if (note.refused !== undefined) return `clipboard ${way} refused: ${note.refused}`;
      return `${note.length} bytes of the clipboard ${way}`;
    }
    case 'share':
      return `directory ${note.name} shared`;
    case 'take-over':
      return `taken over by ${note.user}`;
    default:
      return note satisfies never;
  }
}

export function encodeSize({ width, height }: PictureSize): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt16LE(within(width), 0);
  bytes.writeUInt16LE(within(height), 2);
  return bytes;
}

export function encodePointer({ x, y, buttons }: PointerItem): Buffer {
  const bytes = Buffer.alloc(POINTER_BYTES);
  bytes.writeUInt16LE(within(x), 0);
  bytes.writeUInt16LE(within(y), 2);
  bytes[4] = buttons & 0xff;
  return bytes;
}

/** Throws for what is too short. */
export function decodePointer(bytes: Buffer): PointerItem {
  return { x: bytes.readUInt16LE(0), y: bytes.readUInt16LE(2), buttons: bytes.readUInt8(4) };
}

/** A page may tell of a pointer that left its picture. */
function within(value: number): number {
  return Number.isFinite(value) ? Math.min(0xffff, Math.max(0, Math.round(value))) : 0;
}

function json(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}
