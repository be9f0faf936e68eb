import { InputError } from '@gatehouse/tunnel/shells/writers';
import { expect, test } from 'vitest';
import { MAX_WAITING, MAX_WAITING_BYTES, type Waiting, WaitingInput } from './waiting-input.ts';

const keys = (text: string): Waiting => ({ bytes: Buffer.from(text) });
const size = (cols: number): Waiting => ({ size: { cols, rows: 24 } });

test('keys and sizes come out in the order in which they came, and of sizes in a row only the last', () => {
  const waiting = new WaitingInput();
  const got: string[] = [];
  for (const one of [keys('a'), size(90), size(100), keys('b'), keys('c')]) waiting.push(one);

  waiting.flush((one) => {
    got.push('size' in one ? String(one.size.cols) : one.bytes.toString());
    return 'size' in one ? 0 : one.bytes.length;
  });

  expect(got).toEqual(['a', '100', 'b', 'c']);
  expect(waiting.isEmpty).toBe(true);
});

test('what is taken in part goes on from there, with its offset', () => {
  const waiting = new WaitingInput();
  const got: [string, number | undefined][] = [];
  waiting.push({ bytes: Buffer.from('hello'), offset: 7 });
  const take = (one: Waiting) => {
    if ('size' in one) return 0;
    got.push([one.bytes.toString(), one.offset]);
    return 2;
  };

  for (let round = 0; round < 3; round += 1) waiting.flush(take);

  expect(got).toEqual([
    ['hello', 7],
    ['llo', 9],
    ['o', 11],
  ]);
});

test('what is kept is a copy', () => {
  const waiting = new WaitingInput();
  const bytes = Buffer.from('keys');
  waiting.push({ bytes });
  bytes.fill('x');

  waiting.flush((one) => {
    expect('bytes' in one && one.bytes.toString()).toBe('keys');
    return 4;
  });
});

test('too many bytes or too many keys are refused, and nothing of them is kept', () => {
  const waiting = new WaitingInput();
  waiting.push({ bytes: Buffer.alloc(MAX_WAITING_BYTES) });
  expect(() => waiting.push(keys('x'))).toThrow(InputError);
  expect(waiting.isEmpty).toBe(true);

  for (let count = 0; count < MAX_WAITING; count += 1) waiting.push(keys('x'));
  expect(() => waiting.push(keys('x'))).toThrow(InputError);
  expect(waiting.isEmpty).toBe(true);
});
