/** Turns the keys of a browser into those of the host, and lets none of them be left pressed there. */
import type { PictureInput } from '../../../shared/desktop-picture/picture-client.ts';
import { MODIFIERS, scancodeOf } from './scancodes.ts';

/** What a KeyboardEvent has of use here. */
export interface Key {
  code: string;
  key: string;
  repeat: boolean;
  isComposing: boolean;
  ctrlKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
  metaKey: boolean;
  timeStamp: number;
}

/** `keys`: where a key lies; what it writes is for the host to say. `characters`: what it writes here. */
export type KeyMode = 'keys' | 'characters';

/**
 * What becomes of a key: it went to the host; it is the browser's, which writes or pastes something that comes later; or it
 * is for this page.
 */
export type KeyAnswer = 'sent' | 'browser' | 'bar';

export interface KeySender {
  down(key: Key): KeyAnswer;
  up(key: Key): void;
  /** What was written, composed or dictated. */
  write(text: string): void;
  /** Presses them one after the other and lets go in reverse, by their codes. */
  chord(...codes: readonly string[]): void;
  /** Pasting goes on: what is on the clipboard here is there now. */
  paste(): void;
  /** Held for the next key, as the bar on a phone does. */
  hold(code: string, isHeld: boolean): void;
  setMode(mode: KeyMode): void;
  /** Nothing more is heard of what is pressed. */
  forget(): void;
}

/** Windows invents a Ctrl before AltGr, in the same moment. */
const INVENTED_MS = 20;
const WAIT_FOR_ALT_MS = 50;

interface KeySenderDeps {
  send(inputs: readonly PictureInput[]): void;
  /** Lets go of all that is pressed there. */
  releaseAll(): void;
  isWindows: boolean;
  isMac: boolean;
  /** Whether what is on the clipboard here may go there. */
  hasClipboard(): boolean;
}

export function createKeySender({ send, releaseAll, isWindows, isMac, hasClipboard }: KeySenderDeps): KeySender {
  const pressed = new Map<string, number>();
  const held = new Set<string>();
  let mode: KeyMode = 'keys';
  /** A Ctrl that may be invented: it goes out with the next key that is no AltGr, or after a moment. */
  let waiting: { timeStamp: number; timer: ReturnType<typeof setTimeout> } | undefined;
  /** The host was never told of the one that is down. */
  let isInvented = false;
  let pasting: (() => void) | undefined;

  const press = (code: string, scancode: number, written?: string) => {
    pressed.set(code, scancode);
    send([{ is: 'key', scancode, isDown: true, ...(written === undefined ? {} : { written }) }]);
  };
  const letGo = (code: string) => {
    const scancode = pressed.get(code);
    if (scancode === undefined) return;
    pressed.delete(code);
    send([{ is: 'key', scancode, isDown: false }]);
  };
  const flush = () => {
    if (!waiting) return;
    clearTimeout(waiting.timer);
    waiting = undefined;
    press('ControlLeft', scancodeOf('ControlLeft') as number);
  };
  const stroke = (scancodes: readonly number[]) =>
    send([
      ...scancodes.map((scancode) => ({ is: 'key', scancode, isDown: true }) as const),
      ...scancodes.toReversed().map((scancode) => ({ is: 'key', scancode, isDown: false }) as const),
    ]);
  /** Of the bar on a phone: for one key, then they are up again. */
  const heldCodes = () => [...held].flatMap((code) => scancodeOf(code) ?? []);
  const dropHeld = () => held.clear();
  const chord = (...codes: readonly string[]) => {
    flush();
    stroke([...heldCodes(), ...codes.flatMap((code) => scancodeOf(code) ?? [])]);
    dropHeld();
  };
  const write = (text: string) => {
    flush();
    const letters = held.size > 0 ? [...text].flatMap((letter) => scancodeOf(codeOfLetter(letter)) ?? []) : [];
    // With Ctrl or Alt it is the key that counts, not what it writes.
    if (letters.length > 0) stroke([...heldCodes(), ...letters]);
    else
      send(
        [...text.replaceAll('\r\n', '\n')].flatMap<PictureInput>((character) => {
          const code = { '\n': 'Enter', '\t': 'Tab', '\b': 'Backspace' }[character];
          const scancode = code && scancodeOf(code);
          if (!scancode) return { is: 'character', character };
          return [
            { is: 'key', scancode, isDown: true },
            { is: 'key', scancode, isDown: false },
          ];
        }),
      );
    dropHeld();
  };

  const keepForPaste = (key: Key, scancode: number) => {
    const go = () => {
      clearTimeout(timer);
      pasting = undefined;
      stroke(key.metaKey ? [scancodeOf('ControlLeft') as number, scancode] : [scancode]);
    };
    pasting = go;
    // An empty clipboard brings no event.
    const timer = setTimeout(go, WAIT_FOR_ALT_MS);
  };

  return {
    down(key) {
      const { code, isComposing } = key;
      // Phones and input methods tell what was written only afterwards.
      if (isComposing || key.key === 'Process' || key.key === 'Unidentified' || key.key === 'Dead') {
        if (mode === 'characters' || isComposing || scancodeOf(code) === undefined) return 'browser';
      }
      const scancode = scancodeOf(code);
      if (scancode === undefined) {
        if (!isCharacter(key.key)) return 'browser';
        write(key.key);
        return 'sent';
      }
      if (isWindows && code === 'ControlLeft' && !key.repeat) {
        waiting = { timeStamp: key.timeStamp, timer: setTimeout(flush, WAIT_FOR_ALT_MS) };
        return 'sent';
      }
      if (waiting && code === 'AltRight' && key.timeStamp - waiting.timeStamp <= INVENTED_MS) {
        clearTimeout(waiting.timer);
        waiting = undefined;
        isInvented = true;
      }
      flush();
      const combination = ownMeaning(key);
      if (combination === 'bar') return 'bar';
      if (combination) {
        chord(...combination);
        return 'sent';
      }
      if (isPaste(key, isMac) && hasClipboard()) {
        if (!key.repeat) keepForPaste(key, scancode);
        return 'browser';
      }
      if (mode === 'characters' && isCharacter(key.key) && !key.metaKey && key.ctrlKey === key.altKey) {
        write(key.key);
        return 'sent';
      }
      if (mode === 'characters' && code.startsWith('Shift')) return 'sent';
      if (mode === 'characters' && key.shiftKey && !MODIFIERS.has(code)) {
        stroke([scancodeOf('ShiftLeft') as number, ...heldCodes(), scancode]);
        dropHeld();
        return 'sent';
      }
      if (held.size > 0 && !MODIFIERS.has(code)) {
        stroke([...heldCodes(), scancode]);
        dropHeld();
        return 'sent';
      }
      if (isMac && code === 'CapsLock') {
        stroke([scancode]);
        return 'sent';
      }
      // A Mac does not say when a key is let go that was pressed with Cmd.
      if (isMac && key.metaKey && !MODIFIERS.has(code)) {
        stroke([scancode]);
        return 'sent';
      }
      press(code, scancode, key.key);
      return 'sent';
    },
    up(key) {
      const { code } = key;
      if (code === 'ControlLeft') {
        flush();
        if (isInvented) {
          isInvented = false;
          return;
        }
      }
      // It tells when the lamp goes out, as the key's end.
      if (isMac && code === 'CapsLock') return stroke([scancodeOf(code) as number]);
      letGo(code);
    },
    write,
    chord,
    paste() {
      pasting?.();
    },
    hold(code, isHeld) {
      if (isHeld) held.add(code);
      else held.delete(code);
    },
    setMode(next) {
      mode = next;
    },
    forget() {
      clearTimeout(waiting?.timer);
      waiting = undefined;
      isInvented = false;
      pressed.clear();
      held.clear();
      releaseAll();
    },
  };
}

function isCharacter(key: string): boolean {
  return [...key].length === 1;
}

function isPaste({ code, ctrlKey, metaKey, altKey, shiftKey }: Key, isMac: boolean): boolean {
  if (altKey) return false;
  if (code === 'Insert') return shiftKey && !ctrlKey;
  return code === 'KeyV' && (isMac ? metaKey || ctrlKey : ctrlKey);
}

/** Combinations that the machine of the person keeps for itself have others that stand for them. */
function ownMeaning({ code, ctrlKey, altKey, shiftKey }: Key): readonly string[] | 'bar' | undefined {
  if (shiftKey || !altKey) return undefined;
  if (ctrlKey && code === 'Home') return 'bar';
  if (ctrlKey && code === 'End') return ['ControlLeft', 'AltLeft', 'Delete'];
  if (!ctrlKey && code === 'PageUp') return ['AltLeft', 'Tab'];
  return undefined;
}

/** Where a letter lies on most keyboards. */
function codeOfLetter(letter: string): string {
  if (/^[a-z]$/i.test(letter)) return `Key${letter.toUpperCase()}`;
  return /^\d$/.test(letter) ? `Digit${letter}` : '';
}
