import { expect, test } from 'vitest';
import { pinOf } from './pin-text.ts';

const DIGITS = 'ab'.repeat(32);
const PIN = `sha256:${DIGITS}`;

test.each([
  [PIN],
  [` ${DIGITS.toUpperCase()} `],
  [`sha256 Fingerprint=${'AB:'.repeat(31)}AB`],
  [`SHA-256: ${'ab '.repeat(32)}`],
])('%s is taken for what it is', (text) => {
  expect(pinOf(text)).toBe(PIN);
});

test('what is none stays as it was typed', () => {
  expect(pinOf(' ab:cd ')).toBe('ab:cd');
});
