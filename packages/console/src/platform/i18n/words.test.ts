import { afterEach, expect, test } from 'vitest';
import firstPaint from '../../first-paint.ts?raw';
import { SERVERS } from '../../kinds/node/server-queries.ts';
import { PREFERENCES } from '../browser/preferences.ts';
import { asSentence, formatNumber, formatRelative } from './formats.ts';
import { chosenLanguage } from './language-choice.ts';
import { loadWords, showLanguage, t } from './words.ts';

afterEach(async () => {
  localStorage.clear();
  await showLanguage('en');
});

test('a text takes values and plural forms', async () => {
  await loadWords(['common', 'shell']);

  expect(t('common.remove', { name: 'env: prod' })).toBe('Remove env: prod');
  expect(t('common.results', { count: 1 })).toBe('1 result');
  expect(t('common.results', { count: 1200 })).toBe('1,200 results');
  expect(t('shell.alerts', { count: 0 })).toBe('No alerts');
});

test('the pseudo-language marks, accents and lengthens, and leaves values alone', async () => {
  await loadWords(['common']);
  await showLanguage('pseudo');

  expect(t('common.try-again')).toBe('⟦Trý ágáîñ~~~~⟧');
  expect(t('common.remove', { name: 'env' })).toContain(' env');
  expect(t('common.results', { count: 2 })).toMatch(/^⟦2 réšüłtš~*⟧$/);
});

test('words of an area that was not loaded are an error while developing', () => {
  expect(() => t('support.lead')).toThrow('support.lead');
});

test('the address comes before the stored choice, and unknown languages are English', () => {
  expect(chosenLanguage('', 'pseudo')).toBe('pseudo');
  expect(chosenLanguage('?lang=en', 'pseudo')).toBe('en');
  expect(chosenLanguage('?lang=tlh', 'pseudo')).toBe('en');
  expect(chosenLanguage('', null)).toBe('en');
});

test('numbers and relative times are written by Intl', () => {
  const now = Date.UTC(2026, 10, 15);

  expect(formatNumber(1234567.8)).toBe('1,234,567.8');
  expect(formatRelative(now - 125_000, now)).toBe('2 minutes ago');
  expect(formatRelative(now + 3 * 86_400_000, now)).toBe('in 3 days');
  expect(formatRelative(now, now)).toBe('now');
});

test.each([
  ['wrong password', 'Wrong password.'],
  ['Already fine.', 'Already fine.'],
  [' what? ', 'What?'],
  ['localhost:13590 does not answer', 'localhost:13590 does not answer.'],
  ['id.example says no', 'id.example says no.'],
  ['issuer_url is wrong', 'issuer_url is wrong.'],
  ['no. of them: 3', 'No. of them: 3.'],
])('%j reads as %j', (message, sentence) => {
  expect(asSentence(message)).toBe(sentence);
});

test('the script before the first paint reads the theme under the name it is stored with', () => {
  expect(firstPaint).toContain(`getItem('${PREFERENCES.theme}')`);
});

test('every text of the catalogues is used somewhere', () => {
  const sources = Object.values(
    import.meta.glob<string>('../../**/*.{ts,tsx}', { query: '?raw', import: 'default', eager: true }),
  ).join();
  const catalogues = import.meta.glob<object>('./en/*.json', { import: 'default', eager: true });
  const ids = Object.entries(catalogues).flatMap(([file, texts]) =>
    Object.keys(texts).map((name) => `${file.replace(/^.*\/|\.json$/g, '')}.${name}`),
  );

  expect(ids.length).toBeGreaterThan(100);
  const ofKinds = [...sources.matchAll(/\bwords(?:: '|=")([a-z-]+)['"]/g)].map(([, area]) => area);
  expect(ofKinds).toContain(SERVERS.words);
  // Ids that are put together name all their parts but one, or are those of each kind of resource.
  const patterns = [
    ...[...sources.matchAll(/`([a-z-]+\.[a-z-]*)\$\{[^}`]*\}([a-z-]*)`/g)].map(
      ([, before, after]) => new RegExp(`^${before}[\\w-]+${after}$`),
    ),
    ...[...sources.matchAll(/`\$\{(?:\w+\.)?words\}\.([a-z-]+)`/g)].map(
      ([, name]) => new RegExp(`^(${ofKinds.join('|')})\\.${name}$`),
    ),
  ];
  const quoted = new Set([...sources.matchAll(/(?:'([\w.-]+)(?=')|="([\w.-]+)(?="))/g)].map(([, a, b]) => a ?? b));
  const isUsed = (id: string) => quoted.has(id) || patterns.some((pattern) => pattern.test(id));
  expect(ids.filter((id) => !isUsed(id))).toEqual([]);
});
