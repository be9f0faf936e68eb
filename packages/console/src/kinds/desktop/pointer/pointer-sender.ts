/** Turns mice and fingers into the mouse of the host. */
import type { PictureInput } from '../../../shared/desktop-picture/picture-client.ts';

/** A finger that rests so long means the other button. */
export const LONG_PRESS_MS = 500;
/** Moved less, a finger has only trembled. */
const TREMBLE_PX = 10;
/** A notch of a wheel, as hosts count. */
const NOTCH = 120;
/** More does not fit into one event of RDP. */
const MAX_WHEEL = 240;
/** What browsers of other units mean by a line and a page. */
const LINE_PX = 40;
const PAGE_PX = 800;
/** Browsers scroll so many pixels for a notch. */
const NOTCH_PX = 100;

export interface Spot {
  x: number;
  y: number;
}

export interface Finger extends Spot {
  id: number;
}

interface PointerDeps {
  send(inputs: readonly PictureInput[]): void;
  /** From the page to the picture. */
  toPicture(spot: Spot): Spot;
  /** The view is larger than its place and can be moved in it. */
  isZoomed(): boolean;
  pan(dx: number, dy: number): void;
  /** By a factor, around a spot of the page. */
  zoom(by: number, around: Spot): void;
}

export interface PointerSender {
  move(spot: Spot): void;
  button(button: number, isDown: boolean, spot: Spot): void;
  wheel(turn: { deltaX: number; deltaY: number; deltaMode: number }, spot: Spot): void;
  touch(finger: Finger): void;
  touchMove(finger: Finger): void;
  touchEnd(finger: Finger): void;
  /** The system took the fingers for something of its own. */
  forget(): void;
}

const LEFT = 0;
const RIGHT = 2;

export function createPointerSender({ send, toPicture, isZoomed, pan, zoom }: PointerDeps): PointerSender {
  const fingers = new Map<number, Finger>();
  /** Less than an event can carry is kept for the next turn. */
  const rest = { x: 0, y: 0 };
  let begun: Finger | undefined;
  let doing: 'nothing' | 'drag' | 'pan' | 'two' | 'done' = 'nothing';
  let longPress: ReturnType<typeof setTimeout> | undefined;

  const move = (spot: Spot): PictureInput => ({ is: 'move', ...toPicture(spot) });
  const click = (button: number, spot: Spot) =>
    send([move(spot), { is: 'button', button, isDown: true }, { is: 'button', button, isDown: false }]);
  const turnWheel = (dx: number, dy: number, spot: Spot) => {
    rest.x += (dx * NOTCH) / NOTCH_PX;
    rest.y -= (dy * NOTCH) / NOTCH_PX;
    const inputs = (['y', 'x'] as const).flatMap<PictureInput>((axis) => {
      const whole = Math.trunc(rest[axis]);
      rest[axis] -= whole;
      const amount = Math.max(-MAX_WHEEL, Math.min(MAX_WHEEL, whole));
      return amount === 0 ? [] : [{ is: 'wheel', isVertical: axis === 'y', amount }];
    });
    if (inputs.length > 0) send([move(spot), ...inputs]);
  };

  const moveTwo = (before: Finger, now: Finger) => {
    const other = [...fingers.values()].find(({ id }) => id !== now.id);
    if (!other) return;
    const spread = (finger: Spot) => Math.hypot(finger.x - other.x, finger.y - other.y);
    const middle = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 };
    const by = spread(now) / Math.max(1, spread(before));
    const moved = { x: (now.x - before.x) / 2, y: (now.y - before.y) / 2 };
    // Fingers that move apart zoom; fingers that move together scroll what is under them.
    if (Math.abs(spread(now) - spread(before)) > Math.hypot(moved.x, moved.y)) zoom(by, middle);
    else turnWheel(-moved.x * 2, -moved.y * 2, middle);
  };

  return {
    move: (spot) => send([move(spot)]),
    button: (button, isDown, spot) => send([move(spot), { is: 'button', button, isDown }]),
    wheel({ deltaX, deltaY, deltaMode }, spot) {
      const unit = [1, LINE_PX, PAGE_PX][deltaMode] ?? 1;
      turnWheel(deltaX * unit, deltaY * unit, spot);
    },
    touch(finger) {
      fingers.set(finger.id, finger);
      clearTimeout(longPress);
      if (fingers.size > 1) {
        if (doing === 'drag' && begun) send([{ is: 'button', button: LEFT, isDown: false }]);
        doing = 'two';
        return;
      }
      begun = finger;
      doing = 'nothing';
      longPress = setTimeout(() => {
        doing = 'done';
        click(RIGHT, finger);
      }, LONG_PRESS_MS);
    },
    touchMove(finger) {
      const before = fingers.get(finger.id);
      if (!before || !begun) return;
      fingers.set(finger.id, finger);
      if (doing === 'two') return moveTwo(before, finger);
      if (doing === 'nothing') {
        if (Math.hypot(finger.x - begun.x, finger.y - begun.y) < TREMBLE_PX) return;
        clearTimeout(longPress);
        doing = isZoomed() ? 'pan' : 'drag';
        if (doing === 'drag') send([move(begun), { is: 'button', button: LEFT, isDown: true }]);
      }
      if (doing === 'pan') pan(before.x - finger.x, before.y - finger.y);
      if (doing === 'drag') send([move(finger)]);
    },
    touchEnd(finger) {
      clearTimeout(longPress);
      if (!fingers.delete(finger.id)) return;
      if (doing === 'nothing') click(LEFT, finger);
      if (doing === 'drag') send([move(finger), { is: 'button', button: LEFT, isDown: false }]);
      // The second finger of a gesture is no tap.
      doing = fingers.size > 0 ? 'done' : 'nothing';
    },
    forget() {
      clearTimeout(longPress);
      if (doing === 'drag') send([{ is: 'button', button: LEFT, isDown: false }]);
      fingers.clear();
      doing = 'nothing';
    },
  };
}
