/** Pictures of VNC that are drawn beside a client: what of a host's words the client still hears, and which part of the screen has to be shown. How they look is compared in rfb-picture.test.ts. */
import { RfbDrawing } from '@gatehouse/contract/kinds/desktop/rfb/drawing';
import { vncCutText, vncInit, vncUpdate } from '@gatehouse/testkit/desktop/vnc-host';
import { expect, test } from 'vitest';

const GREETING = [Buffer.from('RFB 003.008\n'), Buffer.of(1, 1), Buffer.alloc(4), vncInit(64, 48, 'desk')] as const;
const RAW = { encoding: 0, x: 10, y: 20, width: 2, height: 1, body: Buffer.alloc(8, 7) };
const PLAIN_TILE = { encoding: 5, x: 40, y: 2, width: 8, height: 8, body: Buffer.of(2, 9, 8, 7, 0) };
const POINTER = { encoding: -239, x: 1, y: 1, width: 9, height: 2, body: Buffer.alloc(9 * 2 * 4 + 2 * 2, 5) };
const SCREENS = {
  encoding: -308,
  width: 80,
  height: 60,
  body: Buffer.concat([Buffer.of(1, 0, 0, 0), Buffer.alloc(16)]),
};
const SMALLER = { encoding: -223, width: 32, height: 16 };

function beside() {
  const told: Buffer[] = [];
  const drawing = new RfbDrawing({ rest: (bytes) => void told.push(Buffer.from(bytes)) });
  const hear = (...pieces: readonly Buffer[]) => {
    told.length = 0;
    drawing.draw(pieces);
    return [...told];
  };
  return { drawing, hear };
}

test('the client hears each part of the greeting at once: the next comes when it has answered', () => {
  const { hear } = beside();
  const [version, ways, fine, init] = GREETING;
  expect([hear(version), hear(ways), hear(fine)]).toEqual([[version], [ways], [fine]]);
  expect(Buffer.concat(hear(init))).toEqual(init);
});

test('of an update it hears what has no points, once all of it is drawn, and nothing where all was points', () => {
  const { drawing, hear } = beside();
  hear(...GREETING);
  expect(hear(vncUpdate(RAW, PLAIN_TILE))).toEqual([vncUpdate()]);
  expect([...drawing.points.bytes.subarray(4 * (20 * 64 + 10), 4 * (20 * 64 + 12))]).toEqual([
    7, 7, 7, 255, 7, 7, 7, 255,
  ]);

  const mixed = vncUpdate(POINTER, RAW, SCREENS, PLAIN_TILE, SMALLER);
  const [first, last] = [mixed.subarray(0, -1), mixed.subarray(-1)];
  expect(hear(first)).toEqual([]);
  expect(drawing.isMidway).toBe(true);
  expect(hear(last)).toEqual([vncUpdate(POINTER, SCREENS, SMALLER)]);
  expect([drawing.isMidway, drawing.points.width, drawing.points.height]).toEqual([false, 32, 16]);
});

test('bells and texts pass whole, wherever they are cut', () => {
  const { hear } = beside();
  hear(...GREETING);
  const text = vncCutText(Buffer.from('copied there'));
  const bytes = Buffer.concat([Buffer.of(2), text]);
  expect(hear(...Array.from(bytes, (byte) => Buffer.of(byte)))).toEqual([Buffer.of(2), text]);
});

test('what has to be shown is the part that was drawn, and all of it after another size', () => {
  const { drawing, hear } = beside();
  const { points } = drawing;
  hear(...GREETING);
  expect(points.takeChanged()).toEqual({ left: 0, top: 0, width: 64, height: 48 });
  expect(points.takeChanged()).toBeUndefined();
  hear(vncUpdate(RAW, PLAIN_TILE));
  expect(points.takeChanged()).toEqual({ left: 10, top: 2, width: 38, height: 19 });
  hear(vncUpdate(RAW, SMALLER));
  expect(points.takeChanged()).toEqual({ left: 0, top: 0, width: 32, height: 16 });
});

test('after what cannot be drawn nothing more is', () => {
  const { hear } = beside();
  hear(...GREETING);
  expect(() => hear(vncUpdate({ ...RAW, x: 63 }))).toThrow('outside of the desktop');
  expect(() => hear(Buffer.of(2))).toThrow('could not be drawn');
});

test('a pointer that is larger than any is not waited for', () => {
  const { hear } = beside();
  hear(...GREETING);
  expect(() => hear(vncUpdate({ encoding: -239, width: 60_000, height: 60_000 }))).toThrow('beside the picture');
});
