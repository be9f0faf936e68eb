import { UNTAKEN_BYTES } from '@gatehouse/contract/reach/agents/shell-frames';
import { InputError } from '@gatehouse/tunnel/shells/writers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UnackedInput } from './unacked-input.ts';

test('what is sent again after a loss is exactly what was not taken, however it was cut', () => {
  const typed = fc.array(fc.uint8Array({ minLength: 1, maxLength: 9 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(typed, fc.nat(200), (pieces, wish) => {
      const input = new UnackedInput();
      const all = Buffer.concat(pieces);
      let at = 0;
      for (const piece of pieces) {
        // Sent twice, as a browser does that was not answered.
        input.receive('a', at, piece);
        expect(input.receive('a', at, piece)).toBeUndefined();
        at += piece.length;
      }
      const taken = Math.min(wish, all.length);
      input.taken('a', taken);

      const left = input.all();
      expect(Buffer.concat(left.map(({ bytes }) => bytes))).toEqual(all.subarray(taken));
      expect(left[0]?.offset ?? taken).toBe(taken);
      expect(input.takenBy('a')).toBe(taken);
    }),
  );
});

test('a hole and too much at once are refused', () => {
  const input = new UnackedInput();
  expect(() => input.receive('a', 1, Buffer.from('x'))).toThrow(InputError);
  input.receive('a', 0, Buffer.alloc(UNTAKEN_BYTES));
  expect(() => input.receive('a', UNTAKEN_BYTES, Buffer.from('x'))).toThrow(InputError);
});

test('a writer that only the agent knows goes on where the agent says', () => {
  const input = new UnackedInput();
  input.taken('a', 10);

  expect(input.receive('a', 8, Buffer.from('xyz'))).toMatchObject({ offset: 10 });
});
