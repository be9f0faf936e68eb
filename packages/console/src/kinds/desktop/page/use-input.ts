/** Mouse, fingers, keys and pasting on the picture of a desktop, for as long as it is shown. */
import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import { copiedIn, isTooLarge, readQuietly } from '../clipboard/browser-clipboard.ts';
import { createKeySender, type KeyMode, type KeySender } from '../keys/key-sender.ts';
import { createPointerSender } from '../pointer/pointer-sender.ts';
import type { LiveDesktop } from '../session/live-desktop.ts';

interface InputOptions {
  live: LiveDesktop | undefined;
  stage: RefObject<HTMLElement | null>;
  canvas: RefObject<HTMLCanvasElement | null>;
  /** Where keys and input methods write. */
  field: RefObject<HTMLTextAreaElement | null>;
  mode: KeyMode;
  hasClipboard: boolean;
  onZoom: (by: number, around: { x: number; y: number }) => void;
  onBar: () => void;
  onTooLarge: () => void;
}

export function useInput({
  live,
  stage,
  canvas,
  field,
  mode,
  hasClipboard,
  onZoom,
  onBar,
  onTooLarge,
}: InputOptions): KeySender {
  const latest = useRef({ live, hasClipboard, onZoom, onBar, onTooLarge });
  useLayoutEffect(() => {
    latest.current = { live, hasClipboard, onZoom, onBar, onTooLarge };
  });
  const keys = useMemo(
    () =>
      createKeySender({
        send: (inputs) => latest.current.live?.act(inputs),
        releaseAll: () => latest.current.live?.releaseAll(),
        isWindows: /win/i.test(navigator.platform),
        isMac: /mac|iphone|ipad/i.test(navigator.platform),
        hasClipboard: () => latest.current.hasClipboard,
      }),
    [],
  );
  useEffect(() => keys.setMode(mode), [keys, mode]);
  useEffect(() => {
    const [place, picture, input] = [stage.current, canvas.current, field.current];
    if (!place || !picture || !input) return;
    const stopPointer = listenToPointer(place, picture, input, latest);
    const stopKeys = listenToKeys(input, keys, latest);
    return () => {
      stopPointer();
      stopKeys();
    };
  }, [stage, canvas, field, keys]);
  return keys;
}

type Latest = RefObject<Pick<InputOptions, 'live' | 'hasClipboard' | 'onZoom' | 'onBar' | 'onTooLarge'>>;

/** Adds all of them, and gives what takes them away again. */
function listenTo(target: EventTarget, listeners: Record<string, (event: never) => void>): () => void {
  for (const [name, listener] of Object.entries(listeners))
    target.addEventListener(name, listener as EventListener, { passive: false });
  return () => {
    for (const [name, listener] of Object.entries(listeners))
      target.removeEventListener(name, listener as EventListener);
  };
}

function listenToPointer(
  place: HTMLElement,
  picture: HTMLCanvasElement,
  input: HTMLTextAreaElement,
  latest: Latest,
): () => void {
  const pointer = createPointerSender({
    send: (inputs) => latest.current.live?.act(inputs),
    toPicture({ x, y }) {
      const { left, top, width, height } = picture.getBoundingClientRect();
      const at = (value: number, all: number, pixels: number) =>
        Math.max(0, Math.min(pixels - 1, Math.floor((value / Math.max(1, all)) * pixels)));
      return { x: at(x - left, width, picture.width), y: at(y - top, height, picture.height) };
    },
    isZoomed: () => place.scrollWidth > place.clientWidth + 1 || place.scrollHeight > place.clientHeight + 1,
    pan: (dx, dy) => place.scrollBy(dx, dy),
    zoom: (by, around) => latest.current.onZoom(by, around),
  });
  const spotOf = ({ clientX: x, clientY: y }: MouseEvent) => ({ x, y });
  const fingerOf = (event: PointerEvent) => ({ id: event.pointerId, ...spotOf(event) });
  let isUnsynced = true;
  /** Lamps may have changed while another window had the keyboard. */
  const syncLocks = (event: MouseEvent | KeyboardEvent) => {
    if (!isUnsynced) return;
    isUnsynced = false;
    const state = (name: string) => event.getModifierState?.(name) ?? false;
    latest.current.live?.syncLocks({ scroll: state('ScrollLock'), num: state('NumLock'), caps: state('CapsLock') });
  };
  const stop = listenTo(picture, {
    pointerdown(event: PointerEvent) {
      event.preventDefault();
      input.focus({ preventScroll: true });
      syncLocks(event);
      picture.setPointerCapture(event.pointerId);
      if (event.pointerType === 'touch') pointer.touch(fingerOf(event));
      else pointer.button(event.button, true, spotOf(event));
    },
    pointermove(event: PointerEvent) {
      if (event.pointerType === 'touch') return pointer.touchMove(fingerOf(event));
      // A second button while the first is down comes as a move.
      if (event.button >= 0)
        return pointer.button(event.button, (event.buttons & buttonBit(event.button)) !== 0, spotOf(event));
      pointer.move(spotOf(event));
    },
    pointerup(event: PointerEvent) {
      if (event.pointerType === 'touch') pointer.touchEnd(fingerOf(event));
      else pointer.button(event.button, false, spotOf(event));
    },
    pointercancel: () => pointer.forget(),
    wheel(event: WheelEvent) {
      event.preventDefault();
      pointer.wheel(event, spotOf(event));
    },
    contextmenu: (event: Event) => event.preventDefault(),
  });
  const stopLocks = listenTo(input, {
    keydown: syncLocks,
    focus: () => {
      isUnsynced = true;
      void readQuietly().then((copied) => {
        if (copied && latest.current.hasClipboard && !isTooLarge(copied)) latest.current.live?.copy(copied);
      });
    },
  });
  return () => {
    stop();
    stopLocks();
    pointer.forget();
  };
}

/** Buttons that are down are told in another order than the one that changed. */
function buttonBit(button: number): number {
  return [1, 4, 2, 8, 16][button] ?? 0;
}

function listenToKeys(input: HTMLTextAreaElement, keys: KeySender, latest: Latest): () => void {
  return listenTo(input, {
    keydown(event: KeyboardEvent) {
      const answer = keys.down(event);
      if (answer === 'browser') return;
      event.preventDefault();
      if (answer === 'bar') latest.current.onBar();
    },
    keyup: (event: KeyboardEvent) => keys.up(event),
    blur: () => keys.forget(),
    input(event: InputEvent) {
      if (event.isComposing) return;
      if (event.inputType === 'deleteContentBackward') keys.chord('Backspace');
      else if (input.value !== '') keys.write(input.value);
      input.value = '';
    },
    compositionend() {
      if (input.value !== '') keys.write(input.value);
      input.value = '';
    },
    paste(event: ClipboardEvent) {
      event.preventDefault();
      void copiedIn(event.clipboardData).then((copied) => {
        if (copied && isTooLarge(copied)) latest.current.onTooLarge();
        else if (copied) latest.current.live?.copy(copied);
        keys.paste();
      });
    },
  });
}
