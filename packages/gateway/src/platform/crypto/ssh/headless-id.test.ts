import { expect, test } from 'vitest';
import { headlessCode, headlessId } from './headless-id.ts';

const KEY = Buffer.from('ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ5mkCCMCR8dF1dI2G1DEgEbQdGTsD1vUgTmoKvPHKBg\n');

test('the id is a UUID of version 5 over SHA-256 of a nil namespace and the key, as other clients make it', () => {
  expect(headlessId(KEY)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(headlessId(KEY)).toBe('225aa16c-4072-5bbf-930c-fd87235b8910');
});

test('another key has another id and another code, and a code reads like nothing else', () => {
  const codes = Array.from({ length: 500 }, (_, at) =>
    headlessCode(Buffer.concat([KEY, Buffer.of(at & 255, at >> 8)])),
  );
  expect(new Set(codes).size).toBe(500);
  for (const code of codes) expect(code).toMatch(/^[BCDFGHJKMNPQRSTVWXZ2-9]{4}-[BCDFGHJKMNPQRSTVWXZ2-9]{4}$/);
});
