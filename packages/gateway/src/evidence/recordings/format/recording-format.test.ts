/** A reader written from docs/recording-format.md alone, with none of our code: the page must be enough. */
import { createHash, createPublicKey, verify } from 'node:crypto';
import { zstdDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { madeRecording } from '../../../../testing/recordings/make-recording.ts';
import { testSigner } from '../../../../testing/recordings/test-signer.ts';

test('a file is read, its chain followed and its seals proven by what the page says', async () => {
  const signer = testSigner();
  const file = await madeRecording(signer);
  const key = createPublicKey(signer.publicKey);
  const keyId = createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 16);
  let before: Buffer = Buffer.alloc(32);
  let output = '';
  const types: number[] = [];
  const seals: number[] = [];
  let last = '';
  for (let at = 0; at < file.length; ) {
    const magic = file.toString('hex', at, at + 4);
    expect(file.toString('latin1', at + 8, at + 12)).toBe('GHR1');
    expect(file.subarray(at + 48, at + 80).equals(before)).toBe(true);
    const startMs = file.readUIntLE(at + 12, 6);
    let end = at + 152;
    if (magic === '502a4d18') {
      expect(file.readUInt32LE(at + 4)).toBe(72);
      end = at + 80 + file.readUInt32LE(at + 26);
      const raw = zstdDecompressSync(file.subarray(at + 80, end));
      expect(raw.length).toBe(file.readUInt32LE(at + 22));
      expect(Number(file.readBigUInt64LE(at + 30))).toBe(output.length);
      for (let item = 0; item < raw.length; ) {
        const next = item + 9 + raw.readUInt32LE(item + 5);
        const bytes = raw.subarray(item + 9, next);
        types.push(raw[item] as number);
        expect((file.readUInt16LE(at + 46) >> (raw[item] as number)) & 1).toBe(1);
        if (raw[item] === 0) expect(JSON.parse(String(bytes))).toMatchObject({ format: 1, user: 'ann', login: 'root' });
        if (raw[item] === 1) output += bytes.toString('latin1');
        item = next;
      }
      expect(Number(file.readBigUInt64LE(at + 38))).toBe(output.length);
    } else {
      expect(magic).toBe('512a4d18');
      expect(file.readUInt32LE(at + 4)).toBe(144);
      expect(file.toString('hex', at + 80, at + 88)).toBe(keyId);
      expect(verify(null, file.subarray(at, at + 88), key, file.subarray(at + 88, end))).toBe(true);
      seals.push(startMs);
    }
    before = createHash('sha256').update(file.subarray(at, end)).digest();
    last = magic;
    at = end;
  }

  expect(types[0]).toBe(0);
  expect(types.at(-1)).toBe(4);
  expect(last).toBe('512a4d18');
  expect(seals).toEqual([60_000, 120_000, 180_000, 200_000]);
  expect(output).toContain('line 195 of what was printed');
});
