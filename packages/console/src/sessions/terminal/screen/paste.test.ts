import { expect, test } from 'vitest';
import { asOneLine } from './paste.ts';

test('several lines become one, which runs nothing before Enter is pressed', () => {
  expect(asOneLine('docker run \\\r\n  --rm image\n\n  --flag\n')).toBe('docker run \\ --rm image --flag');
  expect(asOneLine('one')).toBe('one');
});
