import { expect, test } from 'vitest';
import { cliLoginRoutes } from '../identity/cli-login.ts';
import { deviceName } from '../identity/passwords.ts';
import { labelValue } from '../std/resource-fields.ts';

/** What strangers and agents write, and people read while they decide. */
const READ_BY_PEOPLE = {
  'what a command line calls itself': (text: string) => cliLoginRoutes.begin.body.safeParse({ client: text }).success,
  'the name of a device': (text: string) => deviceName.safeParse(text).success,
  'the value of a label': (text: string) => labelValue.safeParse(text).success,
};

test.each(Object.entries(READ_BY_PEOPLE))('%s is one line that steers nothing', (_, isTaken) => {
  const steering = [
    '\u202e',
    '\u202d',
    '\u2066',
    '\u2067',
    '\u2028',
    '\u2029',
    '\u001b[31m',
    '\n',
    '\0',
    '\u009b',
    '\u007f',
  ];

  for (const mark of steering) expect([mark, isTaken(`laptop${mark}moc.elpmaxe`)]).toEqual([mark, false]);
  for (const text of ['laptop', 'größe', '開発', 'שלום', 'a‍b', '<b>bold</b>', '🙂'])
    expect([text, isTaken(text)]).toEqual([text, true]);
});
