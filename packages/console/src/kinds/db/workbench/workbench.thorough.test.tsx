import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { closePage } from '../../../../testing/open-page.tsx';
import {
  ADDRESS,
  done,
  editor,
  editorText,
  openWorkbench,
  result,
  write,
} from '../../../../testing/workbench/open-workbench.ts';

beforeEach(() => {
  Range.prototype.getClientRects ??= () => [] as unknown as DOMRectList;
});
afterEach(async () => {
  await closePage();
  sessionStorage.clear();
  vi.restoreAllMocks();
});

const click = (name: string | RegExp) => userEvent.click(screen.getByRole('button', { name }));
const cells = () => screen.getAllByRole('gridcell').map((cell) => cell.textContent);

async function ran(rows: (string | null)[][], sql = 'select * from notes') {
  const bench = await openWorkbench();
  await bench.connect();
  await write(sql);
  await click('Run');
  const { id } = await bench.asked('run');
  await bench.hearAll(result(id, rows));
  return { ...bench, id };
}

test('it opens as the user of the address, says who it is, and runs the statement at the cursor', async () => {
  const { line, connect, asked } = await openWorkbench();
  await connect();
  expect(line().sent.slice(0, 2)).toEqual([
    { type: 'hello', token: 'token-1' },
    { type: 'open', dbUser: 'app', dbName: '' },
  ]);
  await write('select 1;\nselect 2');
  editor().dispatch({ selection: { anchor: 3 } });
  await click('Run');

  expect(await asked('run')).toMatchObject({ tab: 0, sql: 'select 1' });
});

test('what is selected is run alone, and all of it when asked for', async () => {
  const { connect, asked, hear } = await openWorkbench();
  await connect();
  await write('select 1; select 2');
  editor().dispatch({ selection: { anchor: 0, head: 8 } });
  await click('Run');
  const { id, sql } = await asked('run');
  expect(sql).toBe('select 1');
  await hear(done(id));
  await click('Other ways to run');
  await userEvent.click(await screen.findByRole('menuitem', { name: /^Run all/ }));

  expect(await asked('run')).toMatchObject({ sql: 'select 1; select 2' });
});

test('rows are taken piece by piece, and shown with NULL, empty and cut values told apart', async () => {
  const { asked, connect, hear, hearAll } = await openWorkbench();
  await connect();
  await write('select 1');
  await click('Run');
  const { id } = await asked('run');
  const [columns, , over] = result(id, [['1', null]]);
  if (!columns || !over) throw new Error('no result');
  await hear(columns);
  await hear({
    ...{ type: 'rows', id, statement: 0, seq: 0 },
    rows: [
      ['1', null],
      ['2', ''],
      ['3', 'x'.repeat(100)],
    ],
    cut: [{ row: 2, column: 1, bytes: 200_000 }],
  });
  expect(await asked('ack')).toEqual({ type: 'ack', id, seq: 0 });
  await hear({ type: 'rows', id, statement: 0, seq: 1, rows: [['4', '\u202e=1\n2']], cut: [] });
  await hearAll([over]);

  expect(await asked('ack')).toMatchObject({ seq: 1 });
  expect(cells()).toEqual(['1', 'NULL', '2', '', '3', `${'x'.repeat(100)}200 kB`, '4', '\\u{202e}=1\\n2']);
  expect(screen.getByRole('grid').getAttribute('aria-rowcount')).toBe('5');
  expect(screen.getByText('3 ms server, 1 ms gateway')).toBeTruthy();
});

test.each([
  ['rows', 100_000, 2],
  ['columns', 20, 300],
])('of many %s few are on the page, and keys lead to the last cell', async (_what, count, width) => {
  const { connect, asked, hear } = await openWorkbench();
  await connect();
  await write('select 1');
  await click('Run');
  const { id } = await asked('run');
  const names = Array.from({ length: width }, (_, column) => `c${column}`);
  await hear({ type: 'columns', id, statement: 0, from: 0, to: 8, names, types: names.map(() => 'text') });
  const pieces = Math.ceil(count / 10_000);
  for (let seq = 0; seq < pieces; seq += 1) {
    const rows = Array.from({ length: count / pieces }, () => names.map((name) => `${name} of ${seq}`));
    await hear({ type: 'rows', id, statement: 0, seq, rows, cut: [] });
  }
  await hear(done(id, { rows: count }));

  expect(screen.getAllByRole('gridcell').length).toBeLessThan(2_000);
  const grid = screen.getByRole('grid');
  expect(grid.getAttribute('aria-rowcount')).toBe(String(count + 1));
  grid.focus();
  await userEvent.keyboard('{ArrowDown}{Control>}{End}{/Control}');
  const active = () => document.getElementById(grid.getAttribute('aria-activedescendant') ?? '');
  await waitFor(() => expect(active()?.textContent).toBe(`c${width - 1} of ${pieces - 1}`));
  expect(active()?.parentElement?.getAttribute('aria-rowindex')).toBe(String(count + 1));
});

test('a column is made wider by keys and by its edge, and fits what is in it after a double click', async () => {
  const { connect, asked, hearAll } = await openWorkbench();
  await connect();
  await write('select 1');
  await click('Run');
  const { id } = await asked('run');
  await hearAll(result(id, [['1', 'x'.repeat(100)]]));
  const title = () => screen.getAllByRole('columnheader').at(-1) as HTMLElement;
  const width = () => Number.parseInt(title().style.width, 10);
  expect(width()).toBe(340);
  screen.getByRole('grid').focus();
  await userEvent.keyboard('{ArrowDown}{ArrowRight}+');
  expect(width()).toBe(372);
  const edge = title().lastElementChild as HTMLElement;
  edge.setPointerCapture = () => {};
  fireEvent.pointerDown(edge, { clientX: 500 });
  fireEvent.pointerMove(edge, { clientX: 400 });
  fireEvent.pointerUp(edge);
  fireEvent.pointerMove(edge, { clientX: 300 });
  expect(width()).toBe(272);
  fireEvent.doubleClick(edge);
  expect(width()).toBeGreaterThan(700);
});

test('more is asked for where the result stopped, under the same number', async () => {
  const { connect, asked, hearAll, hear } = await openWorkbench();
  await connect();
  await write('select 1');
  await click('Run');
  const { id } = await asked('run');
  await hearAll(result(id, [['1', 'a']], { more: true }));
  await click('Show more');
  expect(await asked('more')).toMatchObject({ id });
  await hear({ type: 'rows', id, statement: 0, seq: 1, rows: [['2', 'b']], cut: [] });
  await hear(done(id, { rows: 1 }));

  expect(cells()).toEqual(['1', 'a', '2', 'b']);
  expect(screen.queryByRole('button', { name: 'Show more' })).toBe(null);
});

test('what runs is cancelled, and that is said', async () => {
  const { connect, asked, hear } = await openWorkbench();
  await connect();
  await write('select pg_sleep(60)');
  await click('Run');
  const { id } = await asked('run');
  expect(screen.queryByRole('button', { name: 'Run' })).toBe(null);
  await click('Cancel');
  expect(await asked('cancel')).toEqual({ type: 'cancel', id });
  await hear({ type: 'failed', id, code: 'cancelled', message: 'cancelled', transaction: 'none' });

  expect(await screen.findByText('Cancelled.')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Run' })).toBeTruthy();
});

test('an error stands under the statement it is about, and is marked in the text', async () => {
  const { connect, asked, hear } = await openWorkbench();
  await connect();
  await write('select 1;\n\nselect foo from notes');
  await click('Run');
  const { id, sql } = await asked('run');
  expect(sql).toBe('select foo from notes');
  const message = 'column "foo" does not exist';
  await hear({ type: 'failed', id, statement: 0, code: '42703', message, hint: 'perhaps "fo"', position: 7 });

  expect(await screen.findByText('Column "foo" does not exist.')).toBeTruthy();
  expect(screen.getByText('Perhaps "fo".')).toBeTruthy();
  const marked = editor().dom.querySelectorAll('.cm-lintRange-error');
  expect([...marked].map((range) => range.textContent)).toEqual(['foo']);
});

test('the end of the session is said with its reason, and the text is there after a reload', async () => {
  const first = await openWorkbench();
  await first.connect();
  await write('select precious');
  await click('Run');
  await first.asked('run');
  await first.hear({ type: 'ended', cause: 'locked', message: 'ann is locked: for the test' });

  expect(await screen.findByText(/ann is locked: for the test\./i)).toBeTruthy();
  expect(screen.getByText('The connection ended before there was an answer.')).toBeTruthy();
  expect(editorText()).toBe('select precious');
  await click('Open again');
  await waitFor(() => expect(first.lines).toHaveLength(2));
  const again = await openWorkbench(ADDRESS);
  await again.connect();
  await waitFor(() => expect(editorText()).toBe('select precious'));
});

test('a lost line is tried again by itself or at once, as another session', async () => {
  const { lines, line, connect } = await openWorkbench();
  await connect();
  await waitFor(() => line().drop());
  expect(await screen.findByText('Connection lost.')).toBeTruthy();
  await click('Try now');
  await connect({ sid: 's-2' });

  expect(lines.length).toBe(2);
  expect(screen.queryByText('Connection lost.')).toBe(null);
});

test('a refusal says why, what to do, and the number to quote', async () => {
  const { hear, lines } = await openWorkbench();
  await waitFor(() => expect(lines.length).toBe(1));
  await hear({ type: 'refused', code: 'denied', message: 'no user app here', next: 'ask ines', requestId: 'r-9' });
  const test = await screen.findByRole('link', { name: 'Test connection' });
  expect(test.getAttribute('href')).toMatch(/\/databases\?open=[\w-]+&tab=test$/);

  expect(await screen.findByText(/No user app here\. Ask ines\./)).toBeTruthy();
  expect(screen.getByText('r-9')).toBeTruthy();
});

test('a second factor is asked for within it', async () => {
  const { hear, lines, line } = await openWorkbench();
  await waitFor(() => expect(lines.length).toBe(1));
  await hear({ type: 'factor', challenge: { webauthn_challenge: null, totp_challenge: true } });
  await userEvent.type(await screen.findByRole('textbox', { name: /code/i }), '123456');
  await userEvent.click(screen.getByRole('button', { name: 'Confirm' }));

  expect(line().sent.at(-1)).toEqual({ type: 'factor', code: '123456' });
});

test('what touches every row runs after its table was named', async () => {
  const { connect, asked, sent } = await openWorkbench();
  await connect();
  await write('delete from shop.orders');
  await click('Run');
  const dialog = within(await screen.findByRole('dialog', { name: 'Run this DELETE?' }));
  await userEvent.type(dialog.getByRole('textbox'), 'order');
  await userEvent.click(dialog.getByRole('button', { name: 'Run DELETE' }));
  expect(sent().some(({ type }) => type === 'run')).toBe(false);
  await userEvent.type(dialog.getByRole('textbox'), 's');
  await userEvent.click(dialog.getByRole('button', { name: 'Run DELETE' }));

  expect(await asked('run')).toMatchObject({ sql: 'delete from shop.orders' });
});

test('without a user in the address it asks for one, and then opens', async () => {
  const { lines } = await openWorkbench('/web/cluster/one/databases/shop/workbench');
  await userEvent.selectOptions(await screen.findByLabelText(/^As user/), 'report');
  await click('Open workbench');

  await waitFor(() => expect(window.location.search).toBe('?user=report&database=shop'));
  await waitFor(() => expect(lines.length).toBe(1));
});

test('of SQL Server, what a line of GO ends is run at once where it belongs together', async () => {
  const { connect, asked } = await openWorkbench('/web/cluster/one/databases/ledger/workbench?user=app');
  await connect({ protocol: 'sqlserver' });
  await write('select 1\nGO\ndeclare @a int = 1; select [@a;] = @a');
  await click('Run');

  expect(await asked('run')).toMatchObject({ sql: 'declare @a int = 1; select [@a;] = @a' });
});

test('what runs asks before one leaves', async () => {
  const { id, hear } = await ran([['1', 'a']]);
  expect(id).toBeGreaterThan(0);
  await click('Run');
  await hear(done(id + 1, { transaction: 'open' }));
  expect(await screen.findByText('Transaction open')).toBeTruthy();
  await userEvent.click(screen.getByRole('link', { name: 'Databases' }));

  await screen.findByRole('dialog', { name: 'Leave the workbench?' });
  await click('Stay');
  expect(window.location.pathname).toContain('workbench');
});
