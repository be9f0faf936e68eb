/** What clients of the wire reference type and point at, in the short form of RDP: one event in each PDU. */
import type { CompatButton } from '../../../sessions/desktop/compat/compat-messages.ts';

const ONE_EVENT = 1 << 2;
const KEY = { released: 0x01, extended: 0x02 } as const;
const MOUSE = 1 << 5;
const POINTER = { moved: 0x0800, down: 0x8000, wheel: 0x0200, sideWheel: 0x0400 } as const;
/** Left, middle, right. */
const BUTTONS = [0x1000, 0x4000, 0x2000] as const;
/** Nine bits, the highest its sign. */
const WHEEL = { min: -256, max: 255, mask: 0x01ff } as const;
const EXTENDED = 0xe0;

/** Undefined: no keyboard has such a key. */
export function keyPdu(scanCode: number, isDown: boolean): Buffer | undefined {
  const group = scanCode >>> 8;
  if (group !== 0 && group !== EXTENDED) return undefined;
  const flags = (isDown ? 0 : KEY.released) | (group === EXTENDED ? KEY.extended : 0);
  return pdu(Buffer.from([flags, scanCode & 0xff]));
}

export interface Point {
  x: number;
  y: number;
}

export function movePdu(at: Point): Buffer {
  return pointerPdu(POINTER.moved, at);
}

export function buttonPdu(button: CompatButton, isDown: boolean, at: Point): Buffer {
  return pointerPdu(BUTTONS[button] | (isDown ? POINTER.down : 0), at);
}

/** Theirs is positive upwards and to the left, RDP's upwards and to the right. */
export function wheelPdu(isVertical: boolean, delta: number, at: Point): Buffer {
  const turned = Math.min(WHEEL.max, Math.max(WHEEL.min, isVertical ? delta : -delta));
  return pointerPdu((isVertical ? POINTER.wheel : POINTER.sideWheel) | (turned & WHEEL.mask), at);
}

function pointerPdu(flags: number, { x, y }: Point): Buffer {
  const event = Buffer.alloc(7);
  event[0] = MOUSE;
  event.writeUInt16LE(flags, 1);
  event.writeUInt16LE(Math.min(0xffff, x), 3);
  event.writeUInt16LE(Math.min(0xffff, y), 5);
  return pdu(event);
}

function pdu(event: Buffer): Buffer {
  return Buffer.concat([Buffer.from([ONE_EVENT, 2 + event.length]), event]);
}
