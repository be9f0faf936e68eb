import { kinds, rows } from '@gatehouse/contract/kinds/kinds';
import { expect, test } from 'vitest';
import { createKinds, type KindsDeps } from './kinds.ts';

test('a kind that can be tested says in which steps, and the others say none', () => {
  const deeds = createKinds({} as KindsDeps);

  expect(kinds.filter((kind) => deeds[kind].test !== undefined)).toEqual(
    rows.filter(({ testSteps }) => testSteps !== undefined).map(({ kind }) => kind),
  );
});
