import type { PlayedItem } from '@gatehouse/contract/recordings/recordings';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { closePage, openPage } from '../../../../../testing/open-page.tsx';
import { details, fakeRecordings, recording } from '../../../../../testing/recordings/fake-recordings.ts';

const PATH = '/web/cluster/one/session/s-db';
const BASE = 'GET /v1/webapi/sites/one/recordings/s-db';

beforeEach(() => void vi.spyOn(console, 'warn').mockImplementation(() => {}));
afterEach(async () => {
  await closePage();
  vi.restoreAllMocks();
});

const run = (n: number, ms: number, text: string, came: { error?: string; rows?: number } = {}): PlayedItem[] => [
  { type: 'asked', n, ms, what: 'query', text, ...(n === 2 ? { values: ['41'] } : {}) },
  {
    ...{ type: 'answered', n, ms: ms + 3, took: 3, rows: came.rows ?? 0, bytes: 20, tag: '' },
    ...(came.error === undefined ? { code: '' } : { code: '42601', error: came.error }),
  },
];
const ITEMS: PlayedItem[] = [
  ...run(1, 0, 'BEGIN'),
  ...run(2, 4_000, 'SELECT $1 FROM settlements', { rows: 19 }),
  ...run(3, 9_000, 'selct', { error: 'syntax error at selct' }),
  ...run(4, 20_000, 'UPDATE accounts SET n = 0', { rows: 1 }),
];

interface Opening {
  live?: boolean;
  state?: 'complete' | 'live' | 'truncated';
  events?: object[];
  samples?: PlayedItem[];
}

async function open(query = '', { live = false, state = 'complete', events = [], samples = [] }: Opening = {}) {
  const facts = recording('s-db', {
    ...{ kind: 'db', login: 'reader', database: 'orders', protocol: 'postgres', state, durationMs: 30_000 },
    resource: { kind: 'db', id: 'shop', name: 'shop' },
  });
  const gateway = fakeRecordings([facts]);
  gateway.answer(BASE, { body: details(facts) });
  const pieces: PlayedItem[][] = [ITEMS.slice(0, 3), [...ITEMS.slice(3), ...samples]];
  gateway.answer(`${BASE}/playback`, (asked) => {
    const at = Number(asked.get('next') ?? '0');
    const items = pieces[at] ?? [];
    const next = at + 1 < pieces.length || live ? { next: String(Math.min(at + 1, pieces.length)) } : {};
    return { body: { items, live, ...next } };
  });
  gateway.answer('GET /v1/webapi/sites/one/events/search', { body: { events, startKey: '' } });
  await openPage(`${PATH}${query}`, { gateway });
  return { gateway, pieces };
}

const texts = () =>
  [...document.querySelectorAll('tr[data-index]')].map((row) => row.querySelector('bdi')?.textContent ?? '');
const listed = (...wanted: string[]) => waitFor(() => expect(texts()).toEqual(wanted));
const ALL = ['BEGIN', 'SELECT $1 FROM settlements', 'selct', 'UPDATE accounts SET n = 0'];

test('statements are listed with what came of them, from every piece; nothing of a terminal is asked for', async () => {
  const { gateway } = await open('?recordingType=db');
  await listed(...ALL);

  expect(screen.getByRole('heading', { name: 'reader@shop' })).toBeTruthy();
  expect(screen.getByText(/orders, PostgreSQL/)).toBeTruthy();
  expect(screen.getByText('19 rows')).toBeTruthy();
  expect(screen.getByText('syntax error at selct')).toBeTruthy();
  expect(screen.getByText('4 statements · 12 ms in the database')).toBeTruthy();
  expect(gateway.calls.filter((call) => call.includes('/screen'))).toEqual([]);
});

test('failures and slow ones narrow the list; words are marked, counted and gone to; the address has them', async () => {
  const user = userEvent.setup();
  await open();
  await listed(...ALL);
  await user.click(screen.getByRole('switch', { name: 'Failed only (1)' }));
  await listed('selct');
  expect(window.location.search).toContain('failed=1');
  await user.click(screen.getByRole('switch', { name: 'Failed only (1)' }));
  await user.selectOptions(screen.getByRole('combobox', { name: 'Duration' }), 'Over 10 ms');
  await screen.findByText('Nothing matches');
  expect(window.location.search).toContain('slower=10');
  await user.selectOptions(screen.getByRole('combobox', { name: 'Duration' }), 'Any duration');
  await user.type(screen.getByRole('searchbox', { name: 'Words in statements' }), 'set');
  await listed(...ALL);

  expect([...document.querySelectorAll('mark')].map((each) => each.textContent)).toEqual(['set', 'SET']);
  expect(screen.getByText('2 hits')).toBeTruthy();
  await user.keyboard('{Enter}');
  await screen.findByRole('complementary', { name: 'Statement at 00:04' });
  await user.click(document.body);
  await user.keyboard('n');
  await screen.findByRole('complementary', { name: 'Statement at 00:20' });
  expect(screen.getByText('2 of 2')).toBeTruthy();
});

test('it plays: from statement to statement in time, over what is idle, and keeps the place where it stops', async () => {
  const user = userEvent.setup();
  const { gateway } = await open('?t=0');
  await listed(...ALL);
  const readings = () => gateway.calls.filter((call) => call.includes('/playback')).length;
  const before = readings();
  await user.click(screen.getByRole('radio', { name: '16×' }));
  await user.click(screen.getByRole('button', { name: 'Play' }));
  await screen.findByRole('complementary', { name: 'Statement at 00:04' });
  await screen.findByRole('complementary', { name: 'Statement at 00:09' });
  await screen.findByRole('complementary', { name: 'Statement at 00:20' });

  await screen.findByRole('button', { name: 'Play again' });
  await waitFor(() => expect(window.location.search).toContain('t=20'));
  // The list was read already: nothing is read again to play it.
  expect(readings()).toBe(before);
});

test('choosing a statement stops what plays, there', async () => {
  const user = userEvent.setup();
  await open('?t=0');
  await listed(...ALL);
  await user.keyboard(' ');
  await screen.findByRole('button', { name: 'Pause' });
  await user.click(screen.getByText('selct'));

  await screen.findByRole('button', { name: 'Play' });
  await screen.findByRole('complementary', { name: 'Statement at 00:09' });
  await waitFor(() => expect(document.querySelector('[data-position]')?.textContent).toBe('00:09'));
});

test('what is worth a look has a flag; the rest has none', async () => {
  await open();
  await listed(...ALL);

  const rows = [...document.querySelectorAll('tr[data-index]')];
  expect(rows.map((row) => row.querySelector('[data-flag]')?.getAttribute('data-flag'))).toEqual([
    ...[undefined, undefined, undefined],
    'no-where',
  ]);
});

test('many runs of one are one line, which opens', async () => {
  const user = userEvent.setup();
  const { pieces } = await open('', { live: true, state: 'live' });
  pieces.push([5, 6, 7].flatMap((n) => run(n, 20_000 + n, 'INSERT', { rows: 2 })));
  await waitFor(() => expect(texts()).toHaveLength(5));
  expect(screen.getByText('6 rows')).toBeTruthy();
  expect(screen.getByText(/^7 statements, 5 lines/)).toBeTruthy();
  await user.click(screen.getByRole('button', { name: '3 runs' }));
  await waitFor(() => expect(texts()).toHaveLength(8));
  await user.click(screen.getByRole('button', { name: '3 runs' }));

  await waitFor(() => expect(texts()).toHaveLength(5));
});

test('the panel leads to the event, and an event to its statement', async () => {
  const { gateway } = await open('?n=3', {
    events: [
      { uid: 'other', time: '2026-11-13T22:52:24.000Z', code: 'TDB02I', statement: { recorded: 2 } },
      { uid: 'e-3', time: '2026-11-13T22:52:29.000Z', code: 'TDB02W', statement: { recorded: 3 } },
    ],
  });
  const panel = within(await screen.findByRole('complementary', { name: 'Statement at 00:09' }));
  const link = await panel.findByRole('link', { name: 'TDB02W in the audit log' });

  expect(link.getAttribute('href')).toMatch(/\/audit\?session=s-db&.*open=e-3/);
  expect(gateway.calls.find((call) => call.includes('/events/search'))).toContain('session=s-db');
});

test('a link to a second opens the statement of that second, with its values', async () => {
  await open('?t=5');
  const panel = within(await screen.findByRole('complementary', { name: 'Statement at 00:04' }));

  expect(await panel.findByText(/^19 rows, 20/)).toBeTruthy();
  expect(panel.getByRole('region', { name: 'Statement' }).textContent).toBe('SELECT $1 FROM settlements');
  expect(panel.getByText('$1 = 41')).toBeTruthy();
});

test('keys go from statement to statement and to the next that failed', async () => {
  const user = userEvent.setup();
  await open();
  await listed(...ALL);
  await user.keyboard('j');
  await screen.findByRole('complementary', { name: 'Statement at 00:00' });
  await user.keyboard('e');
  await screen.findByRole('complementary', { name: 'Statement at 00:09' });
  expect(window.location.search).toContain('t=9');
  await user.keyboard('j');
  await screen.findByRole('complementary', { name: 'Statement at 00:20' });
  await user.keyboard('k');
  await screen.findByRole('complementary', { name: 'Statement at 00:09' });
  await user.keyboard('/');
  expect(document.activeElement?.getAttribute('type')).toBe('search');
});

test('a session that runs is followed', async () => {
  const { pieces } = await open('', { live: true, state: 'live' });
  await listed(...ALL);
  pieces.push(run(5, 25_000, 'COMMIT'));

  await waitFor(() => expect(texts()).toContain('COMMIT'));
});

test('statements are taken away as SQL and as JSON lines', async () => {
  const user = userEvent.setup();
  const { gateway } = await open();
  await listed(...ALL);
  gateway.answer(`${BASE}/statements`, { body: 'BEGIN;' });
  await user.click(screen.getByRole('button', { name: 'Export' }));
  await user.click(await screen.findByRole('menuitem', { name: /\.sql/ }));

  await waitFor(() => expect(gateway.calls).toContain(`${BASE}/statements?as=sql`));
});

test('one that breaks off says so', async () => {
  await open('', { state: 'truncated' });
  await listed(...ALL);

  expect(screen.getByText(/The end of the session was not written/)).toBeTruthy();
});

test('samples of pairs and of documents are tables; what is long is broken into lines', async () => {
  const long = `{"text": "${'word '.repeat(40)}"}`;
  const pairs = {
    columns: ['key', 'value'],
    rows: [
      ['a', '[1, null]'],
      ['b', null],
    ],
    cut: false,
  };
  const documents = { columns: ['document'], rows: [['{"n": 1}'], [long]], cut: true };
  const samples: PlayedItem[] = [
    { type: 'sample', ms: 4_003, n: 2, ...pairs },
    { type: 'sample', ms: 20_003, n: 4, ...documents },
  ];
  const user = userEvent.setup();
  await open('?t=4', { samples });
  await listed(...ALL);
  const cells = (panel: HTMLElement) =>
    [...panel.querySelectorAll('th, td')].filter((each) => each.closest('section')).map((each) => each.textContent);
  const first = await screen.findByRole('complementary', { name: 'Statement at 00:04' });
  await waitFor(() => expect(cells(first)).toEqual(['key', 'value', 'a', '[1, null]', 'b', 'NULL']));

  const next = () =>
    within(screen.getByRole('complementary', { name: /^Statement at/ })).getByRole('button', {
      name: 'Next statement',
    });
  await user.click(next());
  await user.click(next());
  const second = await screen.findByRole('complementary', { name: 'Statement at 00:20' });
  expect(cells(second)).toEqual(['document', '{"n": 1}', long]);
  expect([...second.querySelectorAll('section td')].map(({ className }) => className !== '')).toEqual([false, true]);
});
