import type { Desktop } from '@gatehouse/contract/kinds/desktop/desktops';
import { expect, test } from 'vitest';
import { desktopPath, mayType, offeredLogins } from './desktop-logins.ts';

const desktop = (...logins: string[]): Desktop => ({
  os: 'windows',
  name: 'win-1',
  addr: '',
  labels: [],
  host_id: '',
  logins,
});

test('the login used last comes first, while it may still be used', () => {
  expect(offeredLogins(desktop('ann', 'Administrator'), 'Administrator')).toEqual(['Administrator', 'ann']);
  expect(offeredLogins(desktop('ann'), 'gone')).toEqual(['ann']);
  expect(offeredLogins(desktop('*', 'ann'), 'typed')).toEqual(['typed', 'ann']);
  expect([mayType(desktop('*')), mayType(desktop('ann'))]).toEqual([true, false]);
});

test('names of domains keep their backslash in an address', () => {
  expect(desktopPath('one', 'win-1', 'CORP\\ann')).toBe('/web/cluster/one/desktops/win-1/CORP%5Cann');
});
