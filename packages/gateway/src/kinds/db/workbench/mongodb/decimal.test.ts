import { readMongo } from '@gatehouse/contract/kinds/db/mongo/read-mongo';
import { expect, test } from 'vitest';
import { decimalBytes, decimalText } from './decimal.ts';

test.each([
  ['12', '12'],
  ['12.', '12'],
  ['.5', '0.5'],
  ['-1.50', '-1.50'],
  ['1e3', '1E+3'],
])('%s is read, and written as %s', (text, written) => {
  expect(decimalText(decimalBytes(text) ?? Buffer.alloc(16))).toBe(written);
});

test('no number takes long, however many digits it has', () => {
  const digits = '1'.repeat(50_000);
  const before = process.threadCpuUsage();
  expect(decimalBytes(`${digits}x`)).toBeUndefined();
  expect(() => readMongo(`{ a: NumberDecimal("${digits}x") }`)).toThrow();
  expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(2_000);
});
