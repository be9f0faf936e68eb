import { MAX_WRITERS, UNTAKEN_BYTES } from '@gatehouse/contract/reach/agents/shell-frames';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { InputError, Writers } from './writers.ts';

const all = (bytes: Uint8Array) => bytes.length;

test('every byte arrives once and in order, however often and however cut it is sent again', () => {
  const resend = fc.array(fc.tuple(fc.nat(), fc.nat(50), fc.nat(30)), { maxLength: 60 });
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), resend, (input, tries) => {
      const writers = new Writers();
      const got: number[] = [];
      const flush = (room: number) =>
        writers.flush((bytes) => {
          const part = bytes.subarray(0, room);
          got.push(...part);
          return part.length;
        });
      for (const [from, length, room] of tries) {
        const at = from % input.length;
        try {
          writers.receive('w', at, input.subarray(at, at + length));
        } catch (error) {
          expect(error).toBeInstanceOf(InputError);
        }
        flush(room);
      }
      while (writers.isWaiting) flush(7);

      expect(got).toEqual([...input.subarray(0, got.length)]);
      expect(writers.taken.w ?? 0).toBe(got.length);
    }),
  );
});

test('two writers count each their own bytes', () => {
  const writers = new Writers();
  const got: string[] = [];
  const take = (bytes: Uint8Array) => got.push(Buffer.from(bytes).toString()) && bytes.length;

  writers.receive('ann', 0, Buffer.from('ls'));
  writers.receive('bob', 0, Buffer.from('pwd'));
  expect(writers.flush(take)).toEqual([
    { writer: 'ann', offset: 2 },
    { writer: 'bob', offset: 3 },
  ]);
  writers.receive('ann', 0, Buffer.from('ls -l'));
  writers.flush(take);

  expect(got).toEqual(['ls', 'pwd', ' -l']);
  expect(writers.taken).toEqual({ ann: 5, bob: 3 });
});

test('a hole is refused, and so is a writer that runs too far ahead', () => {
  const writers = new Writers();

  expect(() => writers.receive('w', 1, Buffer.from('x'))).toThrow('input is missing from byte 0 on');
  expect(() => writers.receive('w', 0, Buffer.alloc(UNTAKEN_BYTES + 1))).toThrow(InputError);

  writers.receive('w', 0, Buffer.alloc(UNTAKEN_BYTES));
  writers.flush(() => 0);
  expect(() => writers.receive('w', UNTAKEN_BYTES, Buffer.from('x'))).toThrow('are under way');
});

test('the writer that has been silent longest is forgotten, never one whose input waits', () => {
  const writers = new Writers();
  for (let count = 0; count < MAX_WRITERS; count++) writers.receive(`w${count}`, 0, Buffer.from('x'));

  expect(() => writers.receive('one more', 0, Buffer.from('x'))).toThrow(InputError);
  writers.flush(all);
  writers.receive('one more', 0, Buffer.from('x'));

  expect(Object.keys(writers.taken)).toHaveLength(MAX_WRITERS);
  expect(Object.keys(writers.taken)).toContain('one more');
  expect(Object.keys(writers.taken)).not.toContain('w0');
});
