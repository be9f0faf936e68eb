import { beforeEach, expect, test, vi } from 'vitest';
import type { PictureInput } from '../../../shared/desktop-picture/picture-client.ts';
import { createKeySender, type Key } from './key-sender.ts';

let sent: string[] = [];
let released = 0;

beforeEach(() => {
  vi.useFakeTimers();
  sent = [];
  released = 0;
  return () => vi.useRealTimers();
});

const told = (input: PictureInput) => {
  if (input.is === 'key') return `${input.isDown ? '+' : '-'}${input.scancode.toString(16)}`;
  return input.is === 'character' ? `'${input.character}'` : input.is;
};
const senderOn = (system: 'windows' | 'mac' | 'linux', hasClipboard = true) =>
  createKeySender({
    send: (inputs) => sent.push(...inputs.map(told)),
    releaseAll: () => released++,
    isWindows: system === 'windows',
    isMac: system === 'mac',
    hasClipboard: () => hasClipboard,
  });
const key = (code: string, written: string, more: Partial<Key> = {}): Key => ({
  ...{ code, key: written, repeat: false, isComposing: false, timeStamp: 0 },
  ...{ ctrlKey: false, altKey: false, shiftKey: false, metaKey: false },
  ...more,
});

test('keys go as where they lie, and come up as they went down', () => {
  const keys = senderOn('linux');
  expect(keys.down(key('KeyY', 'z'))).toBe('sent');
  keys.up(key('KeyY', 'z'));
  keys.down(key('ArrowUp', 'ArrowUp'));
  keys.up(key('ArrowUp', 'ArrowUp'));
  // Pressed before the page had the keyboard: the host knows nothing of it.
  keys.up(key('KeyA', 'a'));

  expect(sent).toEqual(['+15', '-15', '+e048', '-e048']);
});

test('the Ctrl that Windows invents before AltGr does not reach the host, a real one does', () => {
  const keys = senderOn('windows');
  keys.down(key('ControlLeft', 'Control', { timeStamp: 100 }));
  keys.down(key('AltRight', 'AltGraph', { timeStamp: 100.2, ctrlKey: true }));
  keys.down(key('KeyQ', '@', { ctrlKey: true, altKey: true }));
  keys.up(key('KeyQ', '@'));
  keys.up(key('ControlLeft', 'Control'));
  keys.up(key('AltRight', 'AltGraph'));
  expect(sent).toEqual(['+e038', '+10', '-10', '-e038']);

  sent = [];
  keys.down(key('ControlLeft', 'Control', { timeStamp: 500 }));
  keys.down(key('KeyC', 'c', { timeStamp: 580, ctrlKey: true }));
  keys.up(key('KeyC', 'c'));
  keys.up(key('ControlLeft', 'Control'));
  expect(sent).toEqual(['+1d', '+2e', '-2e', '-1d']);

  sent = [];
  keys.down(key('ControlLeft', 'Control', { timeStamp: 900 }));
  vi.runAllTimers();
  expect(sent).toEqual(['+1d']);
});

test('in the mode of characters what is written is typed, and everything else stays a key', () => {
  const keys = senderOn('linux');
  keys.setMode('characters');
  keys.down(key('KeyY', 'Z', { shiftKey: true }));
  keys.down(key('KeyQ', '@', { ctrlKey: true, altKey: true }));
  keys.down(key('KeyC', 'c', { ctrlKey: true }));
  keys.up(key('KeyC', 'c'));
  keys.down(key('ArrowLeft', 'ArrowLeft', { shiftKey: true }));

  expect(sent).toEqual(["'Z'", "'@'", '+2e', '-2e', '+2a', '+e04b', '-e04b', '-2a']);
});

test('what is composed is left to the browser, and written when it is done', () => {
  const keys = senderOn('linux');
  keys.setMode('characters');
  expect(keys.down(key('KeyN', 'Process', { isComposing: true }))).toBe('browser');
  expect(keys.down(key('', 'Unidentified'))).toBe('browser');
  keys.write('日本\n');

  expect(sent).toEqual(["'日'", "'本'", '+1c', '-1c']);
});

test('pasting waits until the host has what is on the clipboard here, and no longer', () => {
  const keys = senderOn('linux');
  keys.down(key('ControlLeft', 'Control'));
  expect(keys.down(key('KeyV', 'v', { ctrlKey: true }))).toBe('browser');
  expect(sent).toEqual(['+1d']);
  keys.paste();
  expect(sent).toEqual(['+1d', '+2f', '-2f']);
  vi.runAllTimers();
  keys.paste();
  expect(sent).toEqual(['+1d', '+2f', '-2f']);

  keys.down(key('KeyV', 'v', { ctrlKey: true }));
  vi.runAllTimers();
  expect(sent).toEqual(['+1d', '+2f', '-2f', '+2f', '-2f']);

  sent = [];
  const without = senderOn('linux', false);
  expect(without.down(key('KeyV', 'v', { ctrlKey: true }))).toBe('sent');
  expect(sent).toEqual(['+2f']);
});

test('combinations that the own machine keeps have others that stand for them', () => {
  const keys = senderOn('linux');
  expect(keys.down(key('End', 'End', { ctrlKey: true, altKey: true }))).toBe('sent');
  expect(keys.down(key('Home', 'Home', { ctrlKey: true, altKey: true }))).toBe('bar');
  keys.chord('MetaLeft');

  expect(sent).toEqual(['+1d', '+38', '+e053', '-e053', '-38', '-1d', '+e05b', '-e05b']);
});

test('a Mac leaves no key pressed that went down with Cmd', () => {
  const keys = senderOn('mac');
  keys.down(key('MetaLeft', 'Meta', { metaKey: true }));
  keys.down(key('KeyC', 'c', { metaKey: true }));
  keys.up(key('MetaLeft', 'Meta'));

  expect(sent).toEqual(['+e05b', '+2e', '-2e', '-e05b']);
});

test('what the bar of a phone holds is for the next key alone', () => {
  const keys = senderOn('linux');
  keys.hold('ControlLeft', true);
  keys.write('c');
  keys.write('c');

  expect(sent).toEqual(['+1d', '+2e', '-2e', '-1d', "'c'"]);
});

test('when the page loses the keyboard, everything is let go of', () => {
  const keys = senderOn('windows');
  keys.down(key('ShiftLeft', 'Shift'));
  keys.down(key('ControlLeft', 'Control', { timeStamp: 5 }));
  keys.forget();
  vi.runAllTimers();
  keys.up(key('ShiftLeft', 'Shift'));

  expect({ sent, released }).toEqual({ sent: ['+2a'], released: 1 });
});
