import { expect, test } from 'vitest';
import { faultsOf, NEW_SERVER, serverOf, testOf } from './server-draft.ts';

const PRINT = `SHA256:${'A'.repeat(43)}`;
const typed = { ...NEW_SERVER, name: ' web-1 ', addr: '10.0.0.5', labels: ['env=prod'] };

test('the port that everybody uses need not be typed, and what is empty is not sent', () => {
  expect(serverOf(typed)).toEqual({ name: 'web-1', addr: '10.0.0.5:22', labels: { env: 'prod' } });
  expect(serverOf({ ...typed, addr: 'a:2022', fingerprint: PRINT, through: ['edge'] })).toMatchObject({
    ...{ addr: 'a:2022', hostFingerprint: PRINT, through: 'edge' },
  });
  expect(faultsOf(typed)).toEqual({});
});

test('what is wrong is told by its field', () => {
  const faults = faultsOf({ ...NEW_SERVER, addr: 'a b', fingerprint: 'md5', labels: ['prod'] });

  expect(Object.keys(faults).sort()).toEqual(['addr', 'hostFingerprint', 'labels', 'name']);
});

test('it can be tested as soon as there is an address, with as much of the rest as is right', () => {
  expect(testOf(NEW_SERVER)).toBe(undefined);
  expect(testOf({ ...NEW_SERVER, addr: 'a', fingerprint: 'half', through: ['edge'] })).toEqual({
    kind: 'node',
    spec: { addr: 'a:22', labels: {} },
    through: 'edge',
  });
  expect(testOf({ ...typed, fingerprint: PRINT })?.spec).toMatchObject({ name: 'web-1', hostFingerprint: PRINT });
});
