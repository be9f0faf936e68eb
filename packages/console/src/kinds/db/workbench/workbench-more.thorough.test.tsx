import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { closePage } from '../../../../testing/open-page.tsx';
import {
  done,
  editor,
  editorText,
  openWorkbench,
  READY,
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

async function ran(sql = 'select id, note from notes') {
  const bench = await openWorkbench();
  await bench.connect();
  await write(sql);
  await click('Run');
  const { id } = await bench.asked('run');
  return { ...bench, id };
}

test('a dry run waits with its count for one of two answers, and says what became of it', async () => {
  const { connect, asked, hear } = await openWorkbench();
  await connect();
  await write('delete from notes where id > 4');
  await click('Dry run');
  const { id } = await asked('dryRun');
  const until = new Date(Date.now() + 60_000).toISOString();
  await hear({ type: 'tried', id, rows: 5, tag: 'DELETE 5', until });
  expect(screen.getByText('Dry run: touches 5 rows.')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Run' }).getAttribute('aria-disabled')).toBe('true');
  await click('Commit 5 rows');
  expect(await asked('settle')).toEqual({ type: 'settle', id, commit: true });
  await hear({ type: 'settled', id, committed: false, why: 'late' });

  expect(screen.getByText(/^Nobody decided in time/)).toBeTruthy();
});

test('changes of rows are staged, shown as SQL, written together, and read again', async () => {
  const { id, asked, hear, hearAll } = await ran();
  await hearAll(
    result(id, [
      ['1', 'a'],
      ['2', null],
      ['3', 'c'],
    ]),
  );
  expect(screen.queryByRole('button', { name: 'Add row' })).toBe(null);
  await hear({
    type: 'source',
    id,
    statement: 0,
    schema: 'public',
    table: 'notes',
    columns: ['id', 'note'],
    key: ['id'],
  });
  await userEvent.dblClick(screen.getByRole('gridcell', { name: 'a' }));
  const value = await screen.findByRole('textbox', { name: 'Value of note' });
  await waitFor(() => expect(document.activeElement).toBe(value));
  await userEvent.clear(value);
  await userEvent.type(value, "it's");
  await click('Change value');
  await userEvent.click(screen.getByRole('gridcell', { name: 'c' }));
  await click('Remove row');
  await click('Add row');
  expect(screen.getByText('3 changes in notes, not written yet')).toBeTruthy();
  await click('Review and write');
  const dialog = within(await screen.findByRole('dialog', { name: 'Write 3 changes to notes' }));
  expect(dialog.getByText(/^UPDATE/).textContent).toBe(
    [
      "UPDATE public.notes SET note = 'it''s' WHERE id = '1' AND note IS NOT DISTINCT FROM 'a';",
      "DELETE FROM public.notes WHERE id = '3' AND note IS NOT DISTINCT FROM 'c';",
      'INSERT INTO public.notes DEFAULT VALUES;',
    ].join('\n'),
  );
  await userEvent.click(dialog.getByRole('button', { name: 'Write 3 changes' }));
  const edit = await asked('edit');
  expect(edit).toMatchObject({
    ...{ schema: 'public', table: 'notes' },
    changes: [
      { what: 'update', key: { id: '1' }, old: { note: 'a' }, values: { note: "it's" } },
      { what: 'delete', key: { id: '3' }, old: { note: 'c' } },
      { what: 'insert', values: {} },
    ],
  });
  await hear({ type: 'failed', id: edit.id, code: 'conflict', message: 'the row is not as it was shown', change: 1 });
  expect(await screen.findByText(/^Nothing was written. Change 2: The row is not as it was shown/)).toBeTruthy();
  await click('Review and write');
  await click('Write 3 changes');
  const again = await asked('edit');
  await hear({ type: 'edited', id: again.id, rows: 3 });

  await waitFor(async () => expect((await asked('run')).id).toBeGreaterThan(again.id));
  expect(await asked('run')).toMatchObject({ sql: 'select id, note from notes' });
});

test('what is shown is a file, and a whole result another statement; what writes is not run twice', async () => {
  const files: Blob[] = [];
  vi.spyOn(URL, 'createObjectURL').mockImplementation((file) => {
    files.push(file as Blob);
    return 'blob:x';
  });
  const { id, asked, hear, hearAll } = await ran();
  await hearAll(
    result(id, [
      ['1', '=1+1'],
      ['2', null],
    ]),
  );
  await click('Export');
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Shown, as CSV' }));
  expect(await files[0]?.text()).toBe("id,note\r\n1,'=1+1\r\n2,\r\n");
  await click('Export');
  await userEvent.click(await screen.findByRole('menuitem', { name: 'All, as JSON' }));
  const whole = await asked('export');
  expect(whole).toMatchObject({ sql: 'select id, note from notes', format: 'json' });
  await hear({ type: 'piece', id: whole.id, seq: 0, text: '[\n{}' });
  expect(await asked('ack')).toEqual({ type: 'ack', id: whole.id, seq: 0 });
  await hear({ type: 'piece', id: whole.id, seq: 1, text: '\n]\n' });
  await hear(done(whole.id, { rows: 1 }));
  expect(await files[1]?.text()).toBe('[\n{}\n]\n');

  await write('delete from notes where id = 1 returning id, note');
  await click('Run');
  await hearAll(result((await asked('run')).id, [['1', 'a']]));
  await click('Export');
  const item = await screen.findByRole('menuitem', { name: 'All, as CSV' });
  expect(item.getAttribute('aria-disabled')).toBe('true');
});

test('who may only read is told what that means, and is offered nothing else', async () => {
  const { connect, asked, hear, hearAll } = await openWorkbench();
  await connect({ readOnly: true, mayExport: false });
  expect(screen.getByText('Read-only')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Dry run' })).toBe(null);
  await write('update notes set a = 1 where id = 1');
  await click('Run');
  const { id } = await asked('run');
  await hear({ type: 'failed', id, code: 'read_only', message: 'only reading is allowed here' });
  expect(await screen.findByText(/in transactions that cannot write/)).toBeTruthy();
  await write('select 1');
  await click('Run');
  await hearAll(result((await asked('run')).id, [['1', 'a']]));
  expect(screen.getByRole('button', { name: 'Export' }).getAttribute('aria-disabled')).toBe('true');
});

test('a plan is a tree; of one that is measured, the transaction is not the user’s', async () => {
  const { connect, asked, hear } = await openWorkbench();
  await connect();
  await write('select 1');
  await click('Explain');
  const { id, analyze } = await asked('explain');
  expect(analyze).toBe(false);
  const scan = {
    'Node Type': 'Seq Scan',
    'Relation Name': 'notes',
    'Plan Rows': 10,
    'Total Cost': 5,
    Filter: '(a > 1)',
  };
  const text = JSON.stringify([{ Plan: { 'Node Type': 'Sort', 'Plan Rows': 10, 'Total Cost': 8, Plans: [scan] } }]);
  await hear({ type: 'plan', id, format: 'json', text });
  await hear(done(id, { tag: 'EXPLAIN', transaction: 'open' }));

  expect(screen.getByRole('row', { name: /^Seq Scan on notes ?Filter: \(a > 1\)/ })).toBeTruthy();
  expect(screen.queryByText('Transaction open')).toBe(null);
});

test('the tree is opened by keys, some at a time, and what is in it goes into the text', async () => {
  const { connect, asked, hear } = await openWorkbench();
  await connect();
  const node = (name: string, kind: 'schema' | 'group' | 'table', isLeaf = false) => ({
    name,
    kind,
    detail: '',
    isLeaf,
  });
  // The window of tests is narrow: panels are opened when they are wanted.
  await click('Tables and what is in them');
  const first = await asked('tree');
  expect(first.path).toEqual([]);
  await hear({ type: 'nodes', id: first.id, nodes: [node('audit', 'schema'), node('public', 'schema')] });
  const item = (name: string) => screen.getByRole('treeitem', { name });
  // Of two schemas the usual one is open down to its tables, the other when it is asked for.
  const groups = await asked('tree');
  expect(groups.path).toEqual(['public']);
  await hear({ type: 'nodes', id: groups.id, nodes: [node('Tables', 'group')] });
  await waitFor(async () => expect(await asked('tree')).toMatchObject({ path: ['public', 'Tables'] }));
  const tables = await asked('tree');
  await hear({ type: 'nodes', id: tables.id, nodes: [node('Notes', 'table')], after: 'Notes' });
  item('audit').focus();
  await userEvent.keyboard('{ArrowRight}');
  const others = await asked('tree');
  expect(others.path).toEqual(['audit']);
  await hear({ type: 'nodes', id: others.id, nodes: [node('Views', 'group')] });
  await userEvent.click(item('1 shown, show more'));
  const more = await asked('tree');
  expect(more).toMatchObject({ path: ['public', 'Tables'], after: 'Notes' });
  await hear({ type: 'nodes', id: more.id, nodes: [node('orders', 'table')] });
  item('Notes').focus();
  await userEvent.keyboard('{Enter}');

  expect(editorText()).toBe('"Notes"');
  expect(screen.getAllByRole('treeitem').map(({ textContent }) => textContent)).toEqual([
    'audit',
    'Views',
    'public',
    'Tables',
    'Notes',
    'orders',
  ]);
});

test('own statements come back by a click, in a tab of their own; one is saved under a name', async () => {
  const { connect, asked, hear } = await openWorkbench();
  await connect();
  await click('History, saved statements and value');
  const history = await asked('history');
  await hear({ type: 'statements', id: history.id, statements: [{ at: 0, sql: 'select 41', rows: 1, ms: 2 }] });
  await write('select 1');
  await userEvent.click(await screen.findByRole('button', { name: /^select 41/ }));
  expect(editorText()).toBe('select 41');
  expect(screen.getByRole('button', { name: 'Query 2' }).getAttribute('aria-current')).toBe('true');
  await userEvent.click(screen.getByRole('button', { name: 'Query 1' }));
  expect(editorText()).toBe('select 1');
  await click('Save');
  await userEvent.type(await screen.findByRole('textbox', { name: /^Name/ }), 'one');
  await userEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Save' }));
  const save = await asked('save');
  expect(save).toMatchObject({ name: 'one', sql: 'select 1' });
  await hear(done(save.id));
  const saved = await asked('saved');
  await hear({ type: 'statements', id: saved.id, statements: [{ at: 0, name: 'one', sql: 'select 1' }] });

  expect(await screen.findByRole('button', { name: 'Forget one' })).toBeTruthy();
});

test('tabs run beside each other, and are closed with a question while something runs', async () => {
  const { id, asked, sent } = await ran('select pg_sleep(9)');
  await click('New tab');
  await write('select 2');
  await click('Run');
  expect(await asked('run')).toMatchObject({ tab: 1, sql: 'select 2' });
  expect(sent().filter(({ type }) => type === 'run')).toHaveLength(2);
  expect(id).toBeGreaterThan(0);
  await click('Close Query 2');
  await click('Close tab');

  expect(await asked('closeTab')).toEqual({ type: 'closeTab', tab: 1 });
  expect(editorText()).toBe('select pg_sleep(9)');
});

test('where a role wants somebody to be there it says for whom it waits, and runs nothing without them', async () => {
  const { hear, line, lines, sent } = await openWorkbench();
  await waitFor(() => expect(lines.length).toBe(1));
  await act(async () => line().open());
  const flow = { type: 'flow' as const, since: '2026-01-01T00:00:00Z', could: ['eve'] };
  const needs = [{ role: 'watched', policy: 'eyes', missing: 1, modes: ['moderator' as const] }];
  await hear({ ...flow, flow: 'waiting', needs });
  expect(await screen.findByText('Waiting for a person to join. Could come: eve')).toBeTruthy();
  await hear({ ...flow, flow: 'live', needs: [] });
  await hear(READY);
  await screen.findByText('Connected');
  await write('select 1');
  await hear({ ...flow, flow: 'frozen', needs });

  expect(await screen.findByText(/^Somebody whom a role wants here has left.*Could come: eve$/)).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Run' }));
  expect(sent().some(({ type }) => type === 'run')).toBe(false);
  await hear({ ...flow, flow: 'live', needs: [] });
  await userEvent.click(screen.getByRole('button', { name: 'Run' }));
  await waitFor(() => expect(sent().some(({ type }) => type === 'run')).toBe(true));
});

test('whoever runs something while something runs is told so, and nothing is sent', async () => {
  const bench = await openWorkbench();
  await bench.connect();
  await write('select 1');
  await click('Run');
  const { id } = await bench.asked('run');
  const press = () => fireEvent.keyDown(editor().contentDOM, { key: 'Enter', code: 'Enter', ctrlKey: true });
  press();
  expect(await screen.findByText('Something still runs in this tab')).toBeTruthy();
  await bench.hear(done(id));
  press();
  await waitFor(() => expect(bench.sent().filter(({ type }) => type === 'run')).toHaveLength(2));
});
