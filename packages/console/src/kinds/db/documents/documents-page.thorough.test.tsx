import type { EditorReply } from '@gatehouse/contract/kinds/db/editor';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { closePage } from '../../../../testing/open-page.tsx';
import {
  done,
  editorText,
  type OpenBench,
  openWorkbench,
  write,
} from '../../../../testing/workbench/open-workbench.ts';

const ADDRESS = '/web/cluster/one/databases/letters/workbench?user=app&database=shop';
const MONGO = { protocol: 'mongodb' as const, version: '7.0.14', dbName: 'shop' };

afterEach(async () => {
  await closePage();
  sessionStorage.clear();
});

const click = (name: string | RegExp) => userEvent.click(screen.getByRole('button', { name }));

async function opened(readOnly = false) {
  const bench = await openWorkbench(ADDRESS);
  await bench.connect({ ...MONGO, readOnly });
  return bench;
}

function found(id: number, documents: string[], type = 'document', more = {}): EditorReply[] {
  return [
    { type: 'columns', id, statement: 0, from: 0, to: 1_000, names: [type], types: [type] },
    { type: 'rows', id, statement: 0, seq: 0, rows: documents.map((each) => [each]), cut: [] },
    done(id, { rows: documents.length, tag: 'find', ...more }),
  ];
}

const DOCUMENTS = [
  '{"_id": {"$oid": "65a000000000000000000001"}, "state": "new", "ship": {"city": "Bern"}}',
  '{"_id": 2, "sum": 1.0}',
];

async function searched(bench: OpenBench) {
  await userEvent.type(screen.getByLabelText('Collection'), 'orders');
  await click('Run');
  const { id, sql } = await bench.asked('run');
  await bench.hearAll(found(id, DOCUMENTS));
  return sql;
}

const line = (name: RegExp) => screen.getByRole('treeitem', { name });

test('fields make the command that is run, and documents are a tree', async () => {
  const bench = await opened();
  await write("{state: 'new'}");
  await userEvent.type(screen.getByLabelText('Sort'), '{{ _id: -1 }');
  expect(await searched(bench)).toBe(
    `{ find: "orders", filter: {state: 'new'}, sort: { _id: -1 }, limit: 50, $db: "shop" }`,
  );
  const tree = within(await screen.findByRole('tree', { name: '2 documents' }));
  expect(tree.getAllByRole('treeitem').map((each) => each.textContent)).toEqual([
    '1{ }',
    '_id:ObjectId("65a000000000000000000001")',
    'state:"new"',
    'ship:{ city: "Bern" }',
    '2{ }',
    '_id:2',
    'sum:1.0',
  ]);
});

test('the tree of documents is moved through, opened and closed by keys', async () => {
  const bench = await opened();
  await searched(bench);
  const tree = await screen.findByRole('tree', { name: '2 documents' });
  tree.focus();
  const selected = () => within(tree).getByRole('treeitem', { selected: true }).textContent;
  await userEvent.keyboard('{ArrowDown}{ArrowDown}{ArrowDown}');
  expect(selected()).toBe('ship:{ city: "Bern" }');
  await userEvent.keyboard('{ArrowRight}{ArrowRight}');
  expect(selected()).toBe('city:"Bern"');
  await userEvent.keyboard('{ArrowLeft}{ArrowLeft}{ArrowLeft}{ArrowLeft}');
  expect(line(/^1/).getAttribute('aria-expanded')).toBe('false');
  await userEvent.keyboard('{End}{Enter}');
  expect(await screen.findByRole('heading', { name: 'Document 2' })).toBeTruthy();
});

test('a change of a document is shown as a command, sent, and the search runs again', async () => {
  const bench = await opened();
  await searched(bench);
  await userEvent.dblClick(line(/^2/));
  await click('Edit');
  const text = screen.getByLabelText('Document as text');
  await userEvent.clear(text);
  await userEvent.type(text, '{{ _id: 3 }');
  await click('Review and write');
  expect(screen.getByText('A document keeps its _id.')).toBeTruthy();
  await userEvent.clear(text);
  await userEvent.type(text, '{{ _id: 2, sum: 5 }');
  await click('Review and write');
  const dialog = within(await screen.findByRole('dialog'));
  expect(dialog.getByText(/\$set: \{ sum: 5 \}/)).toBeTruthy();
  await userEvent.click(dialog.getByRole('button', { name: 'Change document' }));
  const { id, sql } = await bench.asked('run');
  expect(sql).toBe(
    '{ update: "orders", updates: [{ q: { _id: 2, sum: { $eq: 1.0 } }, u: { $set: { sum: 5 } } }], $db: "shop" }',
  );
  await bench.hearAll(found(id, ['{"n": 0, "ok": 1}'], 'answer'));
  expect(await dialog.findByText(/the document has changed since it was shown/)).toBeTruthy();
  await userEvent.click(dialog.getByRole('button', { name: 'Change document' }));
  const again = await bench.asked('run');
  expect(again.id).not.toBe(id);
  await bench.hearAll(found(again.id, ['{"n": 1, "ok": 1}'], 'answer'));
  await waitFor(async () => expect((await bench.asked('run')).sql).toMatch(/^\{ find: "orders"/));
});

test('what cannot be read is marked, and not sent', async () => {
  const bench = await opened();
  await userEvent.type(screen.getByLabelText('Collection'), 'orders');
  await write('{a: b}');
  await click('Run');
  expect(screen.getByRole('alert').textContent).toBe("'b' is no value: a text stands between quotes.");
  expect(bench.sent().some(({ type }) => type === 'run')).toBe(false);
});

test('a pipeline and a command stand in the editor in their turn, and what is found is a table too', async () => {
  const bench = await opened();
  await userEvent.click(screen.getByRole('radio', { name: 'Command' }));
  await write('{ ping: 1 }');
  await click('Run');
  const { id, sql } = await bench.asked('run');
  expect(sql).toBe('{ ping: 1 }');
  await bench.hearAll(found(id, ['{"ok": 1}'], 'answer'));
  await userEvent.click(screen.getByRole('radio', { name: 'Aggregate' }));
  await waitFor(() => expect(editorText()).toBe(''));
  await write('[{ $match: {} }]');
  await searched(bench);
  expect((await bench.asked('run')).sql).toBe(
    '{ aggregate: "orders", pipeline: [{ $match: {} }], cursor: {}, $db: "shop" }',
  );
  await userEvent.click(screen.getByRole('radio', { name: 'Table' }));
  const grid = within(await screen.findByRole('grid'));
  expect(grid.getAllByRole('columnheader').map((each) => each.textContent)).toEqual([
    '#Row',
    '_idint, oid',
    'statetext',
    'shipdocument',
    'sumdouble',
  ]);
});

test('what ran before comes back as the fields it was made of', async () => {
  const bench = await opened();
  await click('History, saved statements and value');
  const { id } = await bench.asked('history');
  const sql = '{ find: "carts", filter: { a: 1 }, limit: 5, $db: "stock" }';
  await bench.hear({ type: 'statements', id, statements: [{ at: 1, sql, rows: 1 }] });
  await click(/carts/);
  await waitFor(() => expect((screen.getByLabelText('Collection') as HTMLInputElement).value).toBe('carts'));
  expect((screen.getByLabelText('Database') as HTMLInputElement).value).toBe('stock');
  await waitFor(() => expect(editorText()).toBe('{ a: 1 }'));
});

test('where only reading is allowed there is nothing to change with', async () => {
  const bench = await opened(true);
  await searched(bench);
  await userEvent.dblClick(line(/^1/));
  expect(await screen.findByRole('heading', { name: 'Document 1' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Edit' })).toBe(null);
  expect(screen.queryByRole('button', { name: 'Add document' })).toBe(null);
});
