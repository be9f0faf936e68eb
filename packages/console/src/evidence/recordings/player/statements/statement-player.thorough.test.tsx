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

async function open(query = '', { live = false, state = 'complete' as 'complete' | 'live' | 'truncated' } = {}) {
  const facts = recording('s-db', {
    ...{ kind: 'db', login: 'reader', database: 'orders', protocol: 'postgres', state, durationMs: 30_000 },
    resource: { kind: 'db', id: 'shop', name: 'shop' },
  });
  const gateway = fakeRecordings([facts]);
  gateway.answer(BASE, { body: details(facts) });
  const pieces: PlayedItem[][] = [ITEMS.slice(0, 3), ITEMS.slice(3)];
  gateway.answer(`${BASE}/playback`, (asked) => {
    const at = Number(asked.get('next') ?? '0');
    const items = pieces[at] ?? [];
    const next = at + 1 < pieces.length || live ? { next: String(Math.min(at + 1, pieces.length)) } : {};
    return { body: { items, live, ...next } };
  });
  await openPage(`${PATH}${query}`, { gateway });
  return { gateway, pieces };
}

const texts = () =>
  [...document.querySelectorAll('tr[data-index]')].map((row) => row.querySelectorAll('td')[1]?.textContent ?? '');
const listed = (...wanted: string[]) => waitFor(() => expect(texts()).toEqual(wanted));
const ALL = ['BEGIN', 'SELECT $1 FROM settlements', 'selct', 'UPDATE accounts SET n = 0'];

test('statements are listed with what came of them, from every piece; nothing of a terminal is asked for', async () => {
  const { gateway } = await open('?recordingType=db');
  await listed(...ALL);

  expect(screen.getByRole('heading', { name: 'reader@shop' })).toBeTruthy();
  expect(screen.getByText(/orders, postgres/)).toBeTruthy();
  expect(screen.getByText('19 rows')).toBeTruthy();
  expect(screen.getByText('syntax error at selct')).toBeTruthy();
  expect(screen.getByText('4 of 4 statements')).toBeTruthy();
  expect(gateway.calls.filter((call) => call.includes('/screen'))).toEqual([]);
});

test('words and failures narrow the list, and the address has them', async () => {
  const user = userEvent.setup();
  await open();
  await listed(...ALL);
  await user.click(screen.getByRole('switch', { name: 'Failed only (1)' }));
  await listed('selct');
  expect(window.location.search).toContain('failed=1');
  await user.click(screen.getByRole('switch', { name: 'Failed only (1)' }));
  await user.type(screen.getByRole('searchbox', { name: 'Words in statements' }), 'settlements');
  await listed('SELECT $1 FROM settlements');

  expect(document.querySelector('mark')?.textContent).toBe('settlements');
});

test('a link to a second opens the statement of that second, with its values', async () => {
  await open('?t=5');
  const panel = within(await screen.findByRole('complementary', { name: 'Statement at 00:04' }));

  expect(await panel.findByText(/^19 rows, 20/)).toBeTruthy();
  expect(panel.getByText('SELECT $1 FROM settlements')).toBeTruthy();
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

  await waitFor(() => expect(texts()).toContain('COMMIT'), { timeout: 15_000 });
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
