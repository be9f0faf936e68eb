import { expect, test } from 'vitest';
import { withModifiers } from './session/typed-keys.ts';
import { commandOf } from './terminal-keys.ts';

const key = (code: string, held = '') => ({
  key: '',
  code,
  altKey: held.includes('alt'),
  ctrlKey: held.includes('ctrl'),
  metaKey: held.includes('meta'),
  shiftKey: held.includes('shift'),
});

test('keys that shells and editors use stay theirs', () => {
  for (const held of ['', 'ctrl', 'alt', 'shift']) {
    for (const code of ['KeyC', 'KeyF', 'KeyK', 'KeyN', 'KeyT', 'KeyW', 'ArrowLeft', 'Minus'])
      expect(commandOf(key(code, held), false)).toBe(undefined);
  }
});

test('copying and finding are where people look for them on their system', () => {
  expect(commandOf(key('KeyC', 'ctrl shift'), false)).toBe('copy');
  expect(commandOf(key('KeyF', 'ctrl shift'), false)).toBe('find');
  expect(commandOf(key('KeyF', 'meta'), true)).toBe('find');
  expect(commandOf(key('KeyC', 'meta'), true)).toBe(undefined);
  expect(commandOf(key('ArrowRight', 'alt shift'), false)).toBe('next');
  expect(commandOf(key('Enter', 'alt shift'), false)).toBe('full-screen');
  expect(commandOf(key('Enter', 'alt'), false)).toBe(undefined);
});

test.each([
  ['c', { ctrl: true, alt: false }, '\u0003'],
  ['[', { ctrl: true, alt: false }, '\u001b'],
  [' ', { ctrl: true, alt: false }, '\u0000'],
  ['\u001b[C', { ctrl: true, alt: false }, '\u001b[1;5C'],
  ['f', { ctrl: false, alt: true }, '\u001bf'],
  ['c', { ctrl: true, alt: true }, '\u001b\u0003'],
  ['é', { ctrl: true, alt: false }, 'é'],
])('%j after keys of the bar is typed as %j says', (text, held, typed) => {
  expect(withModifiers(text, held)).toBe(typed);
});
