import { expect, test } from 'vitest';
import { CHANNEL, ChannelTable } from './channel-table.ts';

test('channels that the gateway speaks are asked for beside those of the page, which hears of none of them', () => {
  const table = new ChannelTable();
  const asked = table.ask(['cliprdr', 'other'], [CHANNEL.clipboard], [CHANNEL.drives, CHANNEL.sound]);
  expect(asked).toEqual(['cliprdr', 'rdpdr', 'rdpsnd']);
  table.learn({ io: 1003, ids: [1004, 1005, 1006] });

  expect(table.forPage()).toEqual({ io: 1003, ids: [1004, 0xf001] });
  expect(table.ownIds()).toEqual([1005, 1006]);
  expect([1004, 1005, 1006].map((id) => table.nameOf(id))).toEqual(['cliprdr', undefined, undefined]);
  expect([1004, 1005, 1006].map((id) => table.ownNameOf(id))).toEqual([undefined, 'rdpdr', 'rdpsnd']);
});

test('a page that asks for one of the gateway’s own has it in name alone', () => {
  const table = new ChannelTable();
  expect(table.ask(['rdpdr', 'rdpdr'], [CHANNEL.drives], [CHANNEL.drives])).toEqual(['rdpdr']);
  table.learn({ io: 1003, ids: [1004] });

  expect(table.forPage().ids).toEqual([0xf000, 0xf001]);
  expect(table.nameOf(1004)).toBeUndefined();
  expect(table.ownIds()).toEqual([1004]);
  expect(table.isFalse(0xf000)).toBe(true);
});
