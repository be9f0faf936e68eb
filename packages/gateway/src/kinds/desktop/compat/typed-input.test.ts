import { expect, test } from 'vitest';
import { readInput } from '../engine/rdp/input.ts';
import { buttonPdu, keyPdu, movePdu, wheelPdu } from './typed-input.ts';

const at = { x: 300, y: 70_000 };
const hex = (bytes: Buffer | undefined) => bytes?.toString('hex');

test('keys are pressed and let go of, also those beside the old ones', () => {
  expect(hex(keyPdu(0x1e, true))).toBe('0404001e');
  expect(hex(keyPdu(0x1e, false))).toBe('0404011e');
  expect(hex(keyPdu(0xe04b, true))).toBe('0404024b');
  expect(hex(keyPdu(0xe04b, false))).toBe('0404034b');
  expect(keyPdu(0x1_001e, true)).toBeUndefined();
  expect(keyPdu(0xe11d, true)).toBeUndefined();
});

test('what is pointed at is understood as it is from a page', () => {
  const pointer = (pdu: Buffer, buttons = 0) => readInput(pdu, buttons).pointer;
  expect(pointer(movePdu(at), 1)).toEqual({ x: 300, y: 0xffff, buttons: 1 });
  expect(pointer(buttonPdu(0, true, at))?.buttons).toBe(1);
  expect(pointer(buttonPdu(1, true, at))?.buttons).toBe(4);
  expect(pointer(buttonPdu(2, true, at))?.buttons).toBe(2);
  expect(pointer(buttonPdu(2, false, at), 3)?.buttons).toBe(1);
});

test('a wheel turns the way that it was turned, and no further than RDP can say', () => {
  const flags = (pdu: Buffer) => pdu.readUInt16LE(3);
  expect(flags(wheelPdu(true, 120, at))).toBe(0x0278);
  expect(flags(wheelPdu(true, -120, at))).toBe(0x0388);
  expect(flags(wheelPdu(true, 30_000, at))).toBe(0x02ff);
  expect(flags(wheelPdu(true, -30_000, at))).toBe(0x0300);
  expect(flags(wheelPdu(false, 120, at))).toBe(0x0588);
  expect(readInput(wheelPdu(true, 1, at), 0)).toEqual({ events: 1, pointer: undefined });
});
