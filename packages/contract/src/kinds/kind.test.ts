import { expect, test } from 'vitest';
import { defineKind } from './kind.ts';
import { schemasOf } from './kind-schemas.ts';
import { rows } from './kinds.ts';

const facts = {
  noun: 'printer',
  path: 'printers',
  acl: 'printers',
  flag: 'printers',
  sessionKind: 'print',
  joinRole: 'Printer',
  eventFamily: 'printers',
  rules: ['printer'],
  labels: 'printer_labels',
  principals: [],
  recording: 'none',
  sortable: ['name'],
  nameField: 'printer_name',
} as const;

test('what agents offer has a script that sets such an agent up', () => {
  // @ts-expect-error without one, the command of a join token would name no script
  expect(defineKind({ ...facts, offered: 'named' })).not.toHaveProperty('installScript');
  expect(
    defineKind({ ...facts, offered: 'named', installScript: 'install-printer.sh', offeredAt: 'addr' }).offered,
  ).toBe('named');
  expect(defineKind(facts)).toEqual(facts);
});

test.each(rows.filter(({ offered }) => offered === 'named'))(
  'the command of a join token can name a $noun, and agents report it',
  ({ kind, installScript, offeredAt }) => {
    expect(installScript).toMatch(/^install-[a-z]+\.sh$/);
    expect(Object.keys(schemasOf(kind))).toEqual(expect.arrayContaining(['reported', 'offerName', 'named']));
    expect(Object.keys(schemasOf(kind).named?.shape ?? {})).toEqual(['name', offeredAt]);
  },
);
