import { expect, test } from 'vitest';
import { asOneLine, readPaste } from './paste.ts';

test('several lines become one, which runs nothing before Enter is pressed', () => {
  expect(asOneLine('docker run \\\r\n  --rm image\n\n  --flag\n')).toBe('docker run \\ --rm image --flag');
  expect(asOneLine('one')).toBe('one');
});

test('line ends at the end make no further line, and however many in the middle are counted at once', () => {
  expect(readPaste('one\r\n\n').lines).toBe(1);
  const before = process.threadCpuUsage();
  expect(readPaste(`${'\n'.repeat(500_000)}x`).lines).toBe(500_001);
  expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(2_000);
});
