import { expect, test } from 'vitest';
import { isOlder } from './cluster-rows.ts';

test.each([
  ['0.9.4', '1.0.2', true],
  ['1.0.2', '1.0.2', false],
  ['1.0', '1.0.2', true],
  ['0.10.0', '0.9.9', false],
  ['2.0.0', '1.9.9', false],
  ['v0.9.4', '1.0.2', true],
  ['', '1.0.2', false],
  ['of another kind', '1.0.2', false],
])('%s beside a gateway that runs %s is older: %s', (version, own, older) => {
  expect(isOlder(version, own)).toBe(older);
});
