import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { eventText, eventWords, saidBy } from './event-words.ts';

const ROW = {
  ...{ event: 'db.session.query', code: 'TDB02I', severity: 'info', user: 'ann', sign_in: 'S-1', session: 'a0b1' },
  ...{ resource_kind: 'db', resource_name: 'Shop', address: '127.0.0.1' },
};
const marked = (mark: string, value: string) => `${mark}0${Buffer.from(value).toString('hex')}`;
const OF_ROW = [
  ...[marked('ev', ROW.event), marked('sv', 'info'), marked('us', 'ann'), marked('rk', 'db'), marked('rn', 'Shop')],
  ...['db', 'session', 'query', 'tdb02i', 's', '1', 'a0b1', '127', '0', 'shop'],
];

test('an event is found by its columns and by the values in it, each word once', () => {
  const data = { db_query: 'SELECT café FROM ann', user: 'ann', labels: { env: 'Dev' }, n: [12, 0.5, -3, 1e21, true] };
  const words = [...OF_ROW, 'select', 'cafe', 'from', 'ann', 'dev', '12', '5', '3', '1e', '21'];

  expect(eventWords(ROW, data)).toEqual(words);
  expect(eventWords(ROW, data)).toEqual(words);
});

test('what one event says is no word of the next, and columns that differ in one place are others', () => {
  eventWords(ROW, { text: 'secret' });

  expect(eventWords(ROW, {})).toEqual(OF_ROW);
  expect(eventWords({ ...ROW, user: 'bob' }, {})).toContain(marked('us', 'bob'));
  expect(eventWords({ ...ROW, user: '', sign_in: 'annS-1' }, {})).not.toContain(marked('us', 'ann'));
});

test('long words are cut, and an event has no more than so many', () => {
  expect(eventWords(ROW, ['X'.repeat(50), 'y'.repeat(41)]).slice(OF_ROW.length)).toEqual([
    'x'.repeat(40),
    'y'.repeat(40),
  ]);
  const many = Array.from({ length: 3_000 }, (_, n) => [`w${n}`, n + 5_000]);
  expect(eventWords(ROW, many)).toHaveLength(2_000);
});

/** As the embedded store has it. */
function indexed(text: string): string[] {
  const db = new DatabaseSync(':memory:');
  db.exec(
    "create virtual table w using fts5(words, content='', contentless_delete=1, detail=none, tokenize='unicode61 remove_diacritics 0'); create virtual table v using fts5vocab(w, row)",
  );
  db.prepare('insert into w (rowid, words) values (1, ?)').run(text);
  const terms = db.prepare('select term from v').all() as { term: string }[];
  db.close();
  return terms.map(({ term }) => term);
}

test.each([
  [
    'what is usual',
    { q: 'SELECT a_b, "C" FROM x.y WHERE id=-7 --é'.slice(0, -1), n: [0.5, -3, 1e21, 12], ok: true, no: null },
  ],
  ['other letters', { q: 'café ΑΘΗΝΑ straße ２ ﬁ', n: 1 }],
  ['long words', { q: `${'X'.repeat(50)} ${'y'.repeat(40)} ${'z'.repeat(41)}` }],
  ['too many', Array.from({ length: 3_000 }, (_, n) => `w${n}`)],
  ['control characters', { q: 'a\u0001b\tc\u001fd\u007fe\nf' }],
  ['every character of ASCII', String.fromCharCode(...Array.from({ length: 127 }, (_, at) => at + 1))],
  ['nothing', { labels: {}, empty: '', list: [] }],
  ['nested', { a: { b: [{ c: 'deep one' }, 'two'] }, 'key of it': 'value' }],
])('the index is given text that it cuts into the very words: %s', (_what, data) => {
  expect(indexed(eventText(ROW, saidBy(data)))).toEqual(eventWords(ROW, data).toSorted());
});
