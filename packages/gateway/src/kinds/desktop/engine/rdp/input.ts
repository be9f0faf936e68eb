/** What people type and where they point, in the short form that the client in the page uses. */
import { malformed } from '../desktop-link.ts';
import { FieldReader } from '../field-reader.ts';
import { fastOffset } from './pdu.ts';

/** Events by number, and how many bytes each has beside its head. */
const EVENT_BYTES: Readonly<Record<number, number>> = { 0: 1, 1: 6, 2: 6, 3: 0, 4: 2, 5: 6, 6: 4 };
const MOUSE = 1;
const MOUSE_EXTRA = 2;
const POINTER = { wheel: 0x0200, sideWheel: 0x0400, down: 0x8000 } as const;
/** As the pointer has them, and as ours are told: left, right, middle. */
const BUTTONS = [
  [0x1000, 1],
  [0x2000, 2],
  [0x4000, 4],
] as const;

export interface PointerEvent {
  x: number;
  y: number;
  buttons: number;
}

export interface ReadInput {
  events: number;
  /** Where the pointer is after it, if it says. */
  pointer: PointerEvent | undefined;
}

/** `buttons`: those that are down before it. */
export function readInput(pdu: Buffer, buttons: number): ReadInput {
  const reader = new FieldReader(pdu, 'what was typed', fastOffset(pdu));
  const events = (pdu[0]! >> 2) & 0x0f || reader.u8();
  let pointer: PointerEvent | undefined;
  for (let left = events; left > 0; left -= 1) {
    const code = reader.u8() >> 5;
    const bytes = EVENT_BYTES[code];
    if (bytes === undefined) throw malformed('what was typed is no event of RDP');
    const fields = new FieldReader(reader.take(bytes), 'what was typed');
    if (code === MOUSE || code === MOUSE_EXTRA)
      pointer = readPointer(fields, code === MOUSE, pointer?.buttons ?? buttons) ?? pointer;
  }
  if (reader.left > 0) throw malformed('what was typed is longer than it says');
  return { events, pointer };
}

/** A wheel is turned wherever the pointer is: it says nothing of that. */
function readPointer(fields: FieldReader, hasButtons: boolean, before: number): PointerEvent | undefined {
  const flags = fields.u16();
  const [x, y] = [fields.u16(), fields.u16()];
  if (hasButtons && (flags & (POINTER.wheel | POINTER.sideWheel)) !== 0) return undefined;
  let buttons = before;
  for (const [theirs, ours] of hasButtons ? BUTTONS : [])
    if ((flags & theirs) !== 0) buttons = flags & POINTER.down ? buttons | ours : buttons & ~ours;
  return { x, y, buttons };
}
