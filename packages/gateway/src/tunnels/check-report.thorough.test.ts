import { tokenOffers } from '@gatehouse/contract/join-tokens/token-offers';
import { expect, test } from 'vitest';
import { checkReport } from './check-report.ts';

const AGENT = {
  id: 'a1',
  name: 'edge',
  cluster: 'localhost',
  roles: ['App' as const],
  labels: {},
  offers: tokenOffers.parse({ apps: ['*'] }),
  group: '',
};
const offer = (name: string, spec: object) => ({
  kind: 'app',
  id: name,
  name,
  labels: {},
  spec: { uri: 'http://127.0.0.1:9', ...spec },
});
const header = (value: string) => ({ rewrite: { headers: [{ name: 'X-Team', value }] } });

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
    const { refused } = checkReport(AGENT, report, () => undefined);
    expect(performance.now() - before).toBeLessThan(1_000);
    expect(refused.length).toBeGreaterThan(report.length / 2);
  }
});
