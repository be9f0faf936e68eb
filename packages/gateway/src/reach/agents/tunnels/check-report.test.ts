import { expect, test } from 'vitest';
import { AGENT, header, KINDS, offer } from '../../../../testing/tunnels/offered-apps.ts';
import { checkReport } from './check-report.ts';

test('what an agent offers is held to the rules of what an administrator enters, and refused by name', () => {
  const { taken, refused } = checkReport(
    AGENT,
    [
      offer('good', header('{{external.team}}')),
      offer('special', header('Bearer {{internal.jwt}}')),
      offer('cut', header('{{internal.team')),
      offer('unknown', header('{{internal.nothing}}')),
      offer('pattern', header('{{regexp.replace(external.team, "(", "x")}}')),
      offer('path', { uri: 'http://127.0.0.1:9/ł/' }),
      offer('lines', { uri: 'http://127.0.0.1:9/\u010d\u010aQUIT' }),
    ],
    KINDS,
  );

  expect(taken.map(({ name }) => name)).toEqual(['good', 'special']);
  expect(refused.map(({ name, reason }) => [name, reason])).toEqual([
    ['cut', expect.stringContaining("the header 'X-Team'")],
    ['unknown', expect.stringContaining("the header 'X-Team'")],
    ['pattern', expect.stringContaining("the header 'X-Team'")],
    ['path', expect.stringContaining("spec.uri: holds 'ł'")],
    ['lines', expect.stringContaining("spec.uri: holds '\u010d'")],
  ]);
});

test('the same expression in every application is read once', () => {
  const value = '{{regexp.replace(external.team, "^team-(.*)$", "$1")}}';

  const { taken } = checkReport(
    AGENT,
    Array.from({ length: 1000 }, (_, at) => offer(`a${at}`, header(value))),
    KINDS,
  );

  expect(taken).toHaveLength(1000);
});

test('a value that is wrong in one application is wrong in the next', () => {
  const wrong = header('{{regexp.replace(external.team, "(", "x")}}');

  const { refused } = checkReport(AGENT, [offer('one', wrong), offer('two', wrong)], KINDS);

  expect(refused.map(({ name }) => name)).toEqual(['one', 'two']);
});
