import { beforeEach, expect, test, vi } from 'vitest';
import type { PictureInput } from '../../../shared/desktop-picture/picture-client.ts';
import { createPointerSender, LONG_PRESS_MS } from './pointer-sender.ts';

let sent: PictureInput[] = [];
let view: string[] = [];
let isZoomed = false;

const sender = () =>
  createPointerSender({
    send: (inputs) => sent.push(...inputs),
    toPicture: ({ x, y }) => ({ x: x * 2, y: y * 2 }),
    isZoomed: () => isZoomed,
    pan: (dx, dy) => view.push(`pan ${dx} ${dy}`),
    zoom: (by, { x, y }) => view.push(`zoom ${by.toFixed(2)} at ${x} ${y}`),
  });
const left = (isDown: boolean) => ({ is: 'button', button: 0, isDown });

beforeEach(() => {
  vi.useFakeTimers();
  sent = [];
  view = [];
  isZoomed = false;
  return () => vi.useRealTimers();
});

test('buttons go with where they were pressed', () => {
  sender().button(2, true, { x: 3, y: 4 });

  expect(sent).toEqual([
    { is: 'move', x: 6, y: 8 },
    { is: 'button', button: 2, isDown: true },
  ]);
});

test('a wheel turns both ways, in pixels or lines, and what is too little adds up', () => {
  const pointer = sender();
  pointer.wheel({ deltaX: 0, deltaY: 100, deltaMode: 0 }, { x: 0, y: 0 });
  pointer.wheel({ deltaX: 2.5, deltaY: 0, deltaMode: 1 }, { x: 0, y: 0 });
  for (let turn = 0; turn < 6; turn++) pointer.wheel({ deltaX: 0, deltaY: -0.5, deltaMode: 0 }, { x: 0, y: 0 });
  pointer.wheel({ deltaX: 0, deltaY: 9000, deltaMode: 0 }, { x: 0, y: 0 });

  expect(sent.filter(({ is }) => is === 'wheel')).toEqual([
    { is: 'wheel', isVertical: true, amount: -120 },
    { is: 'wheel', isVertical: false, amount: 120 },
    { is: 'wheel', isVertical: true, amount: 1 },
    { is: 'wheel', isVertical: true, amount: 1 },
    { is: 'wheel', isVertical: true, amount: 1 },
    { is: 'wheel', isVertical: true, amount: -240 },
  ]);
});

test('a tap clicks, and a finger that rests clicks with the other button', () => {
  const pointer = sender();
  pointer.touch({ id: 1, x: 5, y: 5 });
  pointer.touchMove({ id: 1, x: 7, y: 6 });
  pointer.touchEnd({ id: 1, x: 7, y: 6 });
  expect(sent).toEqual([{ is: 'move', x: 14, y: 12 }, left(true), left(false)]);

  sent = [];
  pointer.touch({ id: 2, x: 5, y: 5 });
  vi.advanceTimersByTime(LONG_PRESS_MS);
  pointer.touchEnd({ id: 2, x: 5, y: 5 });
  expect(sent.map((input) => (input.is === 'button' ? input.button : input.is))).toEqual(['move', 2, 2]);
});

test('a finger drags, or moves the view where there is more than is seen', () => {
  const pointer = sender();
  pointer.touch({ id: 1, x: 0, y: 0 });
  pointer.touchMove({ id: 1, x: 20, y: 0 });
  pointer.touchEnd({ id: 1, x: 30, y: 0 });
  expect(sent).toEqual([
    { is: 'move', x: 0, y: 0 },
    left(true),
    { is: 'move', x: 40, y: 0 },
    { is: 'move', x: 60, y: 0 },
    left(false),
  ]);

  sent = [];
  isZoomed = true;
  pointer.touch({ id: 1, x: 0, y: 0 });
  pointer.touchMove({ id: 1, x: 20, y: 5 });
  pointer.touchEnd({ id: 1, x: 20, y: 5 });
  expect({ sent, view }).toEqual({ sent: [], view: ['pan -20 -5'] });
});

test('two fingers scroll together and zoom apart, and none of them is a tap', () => {
  const pointer = sender();
  pointer.touch({ id: 1, x: 100, y: 100 });
  pointer.touch({ id: 2, x: 200, y: 100 });
  pointer.touchMove({ id: 2, x: 240, y: 100 });
  pointer.touchMove({ id: 1, x: 100, y: 60 });
  pointer.touchEnd({ id: 1, x: 100, y: 60 });
  pointer.touchEnd({ id: 2, x: 240, y: 100 });
  vi.runAllTimers();

  expect(view).toEqual(['zoom 1.40 at 170 100']);
  expect(sent.filter(({ is }) => is !== 'move')).toEqual([{ is: 'wheel', isVertical: true, amount: -48 }]);
});
