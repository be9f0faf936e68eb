import { roleOptions } from '@gatehouse/contract/access/roles/role-options';
import { expect, test } from 'vitest';
import { formSections } from '../identity/roles/role-fields.ts';
import { CONSOLE_KINDS } from './kinds.ts';

test('the form of a role has a switch for what may be done with databases, and only switches for options there are', () => {
  const switches = formSections(CONSOLE_KINDS).flatMap(({ id, fields }) =>
    fields.flatMap(({ type, path }) => (type === 'switch' ? [[id, path.at(-1)]] : [])),
  );

  expect(switches).toContainEqual(['db', 'db_read_only']);
  expect(switches).toContainEqual(['db', 'db_export']);
  expect(switches).toContainEqual(['db', 'db_approval']);
  for (const [, name] of switches) expect(Object.keys(roleOptions.shape)).toContain(name);
});

test('the form of a role says whether users of databases are made', () => {
  const choices = formSections(CONSOLE_KINDS).flatMap(({ fields }) => fields.filter(({ type }) => type === 'choice'));

  expect(choices.map(({ path }) => path.at(-1))).toEqual(['create_db_user_mode']);
});
