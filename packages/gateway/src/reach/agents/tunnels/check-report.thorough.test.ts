import { SOON_MS } from '@gatehouse/testkit/soon';
import { expect, test } from 'vitest';
import { AGENT, header, KINDS, offer } from '../../../../testing/tunnels/offered-apps.ts';
import { checkReport } from './check-report.ts';

test('a report is checked in a moment, whatever its headers hold', () => {
  const long = 'a{1000}'.repeat(73);
  const replaced = (text: string) => `{{regexp.replace(external.team, ${JSON.stringify(text)}, "x")}}`;
  const reports = [
    // Every one its own, under one name or under many.
    Array.from({ length: 1000 }, (_, at) => offer('wiki', header(replaced(`${at}${long.slice(4)}`)))),
    Array.from({ length: 1000 }, (_, at) => offer(`a${at}`, header(replaced(`${at}${long.slice(4)}`)))),
    Array.from({ length: 1000 }, (_, at) => offer(`a${at}`, header(replaced(`${at}[a-z]{900}`)))),
    Array.from({ length: 1000 }, (_, at) => offer(`a${at}`, header(replaced(`${at}(${'b'.repeat(490)}){1000}`)))),
    Array.from({ length: 250 }, (_, at) => offer(`a${at}`, header(`{{regexp.replace(${at}${'\\"'.repeat(2000)})}}`))),
    Array.from({ length: 250 }, (_, at) => offer(`a${at}`, header(`{{internal.${'a'.repeat(4000)}${at}}}`))),
  ];

  for (const report of reports) {
    const before = performance.now();
    const { refused } = checkReport(AGENT, report, KINDS);
    // Each by itself would take minutes.
    expect(performance.now() - before).toBeLessThan(SOON_MS);
    expect(refused.length).toBeGreaterThan(report.length / 2);
  }
});
