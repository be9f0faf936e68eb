/** What a person does, as messages of VNC for the host. */
import { symbolOf, symbolOfKey } from './key-symbols.ts';
import type { PictureInput } from './picture-client.ts';
import { textMessage } from './rfb-text.ts';

/** As browsers count buttons: left, middle, right, back. Nobody has a fifth there. */
const BUTTON_BITS = [1, 2, 4, 128] as const;
/** A wheel is four more buttons, pressed once a notch. */
const WHEEL_BITS = { up: 8, down: 16, left: 32, right: 64 } as const;
const NOTCH = 120;
/** Of one turn. */
const MAX_NOTCHES = 8;

export class RfbInput {
  readonly #send: (message: Uint8Array<ArrayBuffer>) => void;
  /** By scancode: what comes up is what went down, whatever Shift does meanwhile. */
  readonly #pressed = new Map<number, number>();
  readonly #rest = { x: 0, y: 0 };
  #mask = 0;
  #at = { x: 0, y: 0 };

  constructor(send: (message: Uint8Array<ArrayBuffer>) => void) {
    this.#send = send;
  }

  act(input: PictureInput): void {
    if (input.is === 'move') {
      this.#at = { x: input.x, y: input.y };
      this.#point(this.#mask);
    } else if (input.is === 'button') {
      const bit = BUTTON_BITS[input.button] ?? 0;
      this.#mask = input.isDown ? this.#mask | bit : this.#mask & ~bit;
      this.#point(this.#mask);
    } else if (input.is === 'wheel') this.#turn(input.isVertical, input.amount);
    else if (input.is === 'key') this.#press(input.scancode, input.written, input.isDown);
    else {
      const symbol = symbolOf(input.character);
      this.#key(symbol, true);
      this.#key(symbol, false);
    }
  }

  releaseAll(): void {
    for (const symbol of this.#pressed.values()) this.#key(symbol, false);
    this.#pressed.clear();
    if (this.#mask === 0) return;
    this.#mask = 0;
    this.#point(0);
  }

  copy(text: string): void {
    this.#send(textMessage(text));
  }

  #press(scancode: number, written: string | undefined, isDown: boolean): void {
    const symbol = isDown ? symbolOfKey(scancode, written) : this.#pressed.get(scancode);
    if (symbol === undefined) return;
    const before = this.#pressed.get(scancode);
    // It repeats as another: the former would stay down.
    if (isDown && before !== undefined && before !== symbol) this.#key(before, false);
    if (isDown) this.#pressed.set(scancode, symbol);
    else this.#pressed.delete(scancode);
    this.#key(symbol, isDown);
  }

  #turn(isVertical: boolean, amount: number): void {
    const axis = isVertical ? 'y' : 'x';
    this.#rest[axis] += amount;
    const notches = Math.trunc(this.#rest[axis] / NOTCH);
    this.#rest[axis] -= notches * NOTCH;
    const [more, less] = isVertical ? [WHEEL_BITS.up, WHEEL_BITS.down] : [WHEEL_BITS.right, WHEEL_BITS.left];
    for (let left = Math.min(MAX_NOTCHES, Math.abs(notches)); left > 0; left -= 1) {
      this.#point(this.#mask | (notches > 0 ? more : less));
      this.#point(this.#mask);
    }
  }

  #point(mask: number): void {
    const message = Uint8Array.of(5, mask, 0, 0, 0, 0);
    const view = new DataView(message.buffer);
    view.setUint16(2, this.#at.x);
    view.setUint16(4, this.#at.y);
    this.#send(message);
  }

  #key(symbol: number, isDown: boolean): void {
    const message = Uint8Array.of(4, isDown ? 1 : 0, 0, 0, 0, 0, 0, 0);
    new DataView(message.buffer).setUint32(4, symbol);
    this.#send(message);
  }
}
