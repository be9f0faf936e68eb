import { expect, test } from 'vitest';
import type { Translate } from '../../platform/i18n/words.ts';
import { ownNames, traitWords } from './trait-words.ts';

const t = ((id: string, values?: { trait?: string }) => `${id}${values?.trait ?? ''}`) as Translate;

test.each([
  ['{{internal.logins}}', 'roles.own-logins'],
  ['{{ internal.db_users }}', 'roles.own-db-users'],
  ['{{external.team}}', 'roles.own-traitteam'],
  ['{{external.logins}}', 'roles.provided-traitlogins'],
  ['{{internal.azure_identities}}', 'roles.own-traitazure_identities'],
])('%s is told in words', (value, words) => expect(traitWords(t, value)).toBe(words));

test.each(['root', 'x-{{internal.logins}}', '{{email.local(external.email)}}', '{{internal.logins'])(
  '%s stays as it is written',
  (value) => expect(traitWords(t, value)).toBeUndefined(),
);

test('a field offers the names of the user it is about', () => {
  expect(ownNames('logins')).toBe('{{internal.logins}}');
  expect(ownNames('windows_desktop_logins')).toBe('{{internal.windows_logins}}');
  expect(ownNames('node_labels')).toBeUndefined();
});
