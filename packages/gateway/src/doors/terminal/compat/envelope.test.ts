import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeEnvelope, encodeEnvelope, WholeCharacters } from './envelope.ts';

test('an envelope has exactly the bytes clients of the wire reference expect', () => {
  expect(encodeEnvelope('r', Buffer.from('hé')).toString('hex')).toBe('0a0131' + '120172' + '1a03' + '68c3a9');
  expect(encodeEnvelope('c').toString('hex')).toBe('0a0131120163');
  expect(encodeEnvelope('r', Buffer.alloc(300, 0x61)).subarray(6, 9).toString('hex')).toBe('1aac02');
});

test('what was put into an envelope comes out of it', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 20_000 }), (payload) => {
      expect(decodeEnvelope(encodeEnvelope('r', payload))).toEqual({ type: 'r', payload: Buffer.from(payload) });
    }),
    { numRuns: 50 },
  );
});

test('bytes that are no envelope are told from one, and never harm', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      const read = decodeEnvelope(Buffer.from(bytes));
      expect(read === undefined || read.type.length === 1).toBe(true);
    }),
  );
  expect(decodeEnvelope(Buffer.from('0a0131120172', 'hex'))).toEqual({ type: 'r', payload: Buffer.alloc(0) });
  expect(decodeEnvelope(Buffer.from('1201721aff', 'hex'))).toBeUndefined();
});

test('however output is cut, clients get the same text, in pieces they can read', () => {
  const text = `${'naïve 日本 🚀 '.repeat(3000)}end`;
  const all = Buffer.from(text);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 40_000 }), { maxLength: 10 }), (cuts) => {
      const characters = new WholeCharacters();
      const pieces: Buffer[] = [];
      let at = 0;
      for (const cut of [...cuts, all.length]) {
        pieces.push(...characters.push(all.subarray(at, at + cut)));
        at += cut;
      }
      expect(pieces.map((piece) => piece.toString()).join('')).toBe(text);
      expect(pieces.every((piece) => piece.length <= 16_383 && Buffer.from(piece.toString()).equals(piece))).toBe(true);
    }),
    { numRuns: 30 },
  );
});

test('bytes that are no UTF-8 are replaced, and nothing after them is lost', () => {
  const characters = new WholeCharacters();
  const shown = characters
    .push(Buffer.from([0xff, 0xfe, 0x61, 0xc3, 0x28, 0x62]))
    .map(String)
    .join('');

  expect(shown).toMatch(/a.*\(b$/);
});
