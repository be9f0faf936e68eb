import type { EditorReply, RedisValue } from '@gatehouse/contract/kinds/db/editor';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { closePage } from '../../../../testing/open-page.tsx';
import { MS, openWorkbench } from '../../../../testing/workbench/open-workbench.ts';

const ADDRESS = '/web/cluster/one/databases/cache/workbench?user=app';
const REDIS = { protocol: 'redis' as const, version: '7.0.15', dbName: '' };

afterEach(async () => {
  await closePage();
  sessionStorage.clear();
});

const click = (name: string | RegExp) => userEvent.click(screen.getByRole('button', { name }));

async function opened(readOnly = false) {
  const bench = await openWorkbench(ADDRESS);
  await bench.connect({ ...REDIS, readOnly });
  const { id } = await bench.asked('keys');
  const keys = [
    { name: 'cart:1', kind: 'hash' },
    { name: { base64: '/wA=' }, kind: 'string', endsInMs: 90_000 },
  ];
  await bench.hear({ type: 'keys', id, cursor: '0', total: 2, keys });
  return bench;
}

function hash(id: number, entries: string[][], cursor = '0'): EditorReply {
  return { type: 'key', id, name: 'cart:1', kind: 'hash', encoding: 'listpack', size: 2, bytes: 64, entries, cursor };
}

async function looked(bench: Awaited<ReturnType<typeof opened>>) {
  await userEvent.click(screen.getByRole('treeitem', { name: /cart:1/ }));
  const { id, name } = await bench.asked('key');
  expect(name).toBe('cart:1');
  await bench.hear(hash(id, [['a', 'one']], '17'));
}

test('keys are listed with their types, the chosen one is shown, and more of it when asked for', async () => {
  const bench = await opened();
  const listed = within(screen.getByRole('tree', { name: 'Keys' }));
  expect(listed.getAllByRole('treeitem').map((each) => each.textContent)).toEqual([
    expect.stringContaining(String.raw`\xff\x00`),
    'hashcart:1',
  ]);
  await looked(bench);
  await click(/show more/);
  const { id, cursor } = await bench.asked('key');
  expect(cursor).toBe('17');
  await bench.hear(hash(id, [['b', 'two']]));
  expect(
    within(screen.getByRole('table'))
      .getAllByRole('rowheader')
      .map((each) => each.textContent),
  ).toEqual(['a', 'b']);
});

test('a scan goes on until there is nothing left, and the pattern begins another', async () => {
  const bench = await openWorkbench(ADDRESS);
  await bench.connect(REDIS);
  const { id } = await bench.asked('keys');
  await bench.hear({ type: 'keys', id, cursor: '5', total: 9, keys: [{ name: 'one', kind: 'string' }] });
  await waitFor(async () => expect(await bench.asked('keys')).toMatchObject({ cursor: '5' }));
  await userEvent.type(screen.getByRole('searchbox', { name: 'Pattern of keys' }), 's');
  await waitFor(async () => expect(await bench.asked('keys')).toMatchObject({ cursor: '0', match: 's' }));
});

test('a change is shown as its command before it is sent, and the key is read again', async () => {
  const bench = await opened();
  await looked(bench);
  await click('Edit');
  const dialog = within(await screen.findByRole('dialog'));
  await userEvent.clear(dialog.getByLabelText('Value'));
  await userEvent.type(dialog.getByLabelText('Value'), 'a b');
  expect(dialog.getByText('HSET cart:1 a "a b"')).toBeTruthy();
  await userEvent.click(dialog.getByRole('button', { name: 'Change value' }));
  const { id, line } = await bench.asked('command');
  expect(line).toBe('HSET cart:1 a "a b"');
  await bench.hear({ type: 'reply', id, value: { is: 'number', value: '0' }, ms: MS, dbName: '0' });
  await waitFor(() => expect(bench.sent().filter(({ type }) => type === 'key')).toHaveLength(2));
});

test('commands are typed, answered, remembered, and KEYS is asked about first', async () => {
  const bench = await opened();
  const input = screen.getByRole('textbox', { name: 'Command' });
  await userEvent.type(input, 'get a{Enter}');
  const { id } = await bench.asked('command');
  await bench.hear({ type: 'reply', id, value: { is: 'null' }, ms: MS, dbName: '0' });
  expect(within(screen.getByRole('log')).getByText('(nil)')).toBeTruthy();
  await userEvent.type(input, '{ArrowUp}');
  expect((input as HTMLInputElement).value).toBe('get a');
  await userEvent.clear(input);
  await userEvent.type(input, 'keys *{Enter}');
  await userEvent.click(await screen.findByRole('button', { name: 'Send KEYS anyway' }));
  expect(await bench.asked('command')).toMatchObject({ line: 'keys *' });
});

test('what is typed while a command runs waits its turn, and goes where the one before it led', async () => {
  const bench = await opened();
  const input = screen.getByRole('textbox', { name: 'Command' });
  const log = within(screen.getByRole('log'));
  const lines = () => bench.sent().flatMap((each) => (each.type === 'command' ? [each.line] : []));
  const reply = async (dbName: string, value: RedisValue = { is: 'status', value: 'OK' }) => {
    const { id } = await bench.asked('command');
    await bench.hear({ type: 'reply', id, value, ms: MS, dbName });
  };
  await userEvent.type(input, 'set a 1{Enter}select 3{Enter}del a{Enter}');
  expect(lines()).toEqual(['set a 1']);
  expect(log.getAllByText('…')).toHaveLength(3);
  await click('Clear');
  expect(log.getAllByText('…')).toHaveLength(3);
  await reply('0');
  expect(lines()).toEqual(['set a 1', 'select 3']);
  await reply('3');
  expect(lines()).toEqual(['set a 1', 'select 3', 'del a']);
  expect(log.getByText(/del a/).textContent).toBe('cache[3]> del a');
  await reply('3');

  await userEvent.type(input, 'blpop a 0{Enter}del b{Enter}');
  await click('Cancel');
  const blocked = await bench.asked('command');
  expect(await bench.asked('cancel')).toMatchObject({ id: blocked.id });
  await bench.hear({ type: 'failed', id: blocked.id, code: 'cancelled', message: 'it was cancelled' });
  expect(log.getByText(/^Not sent/)).toBeTruthy();

  await userEvent.type(input, 'select 9{Enter}flushdb{Enter}');
  await reply('3', { is: 'error', value: 'ERR DB index is out of range' });
  expect(log.getAllByText(/^Not sent/)).toHaveLength(2);
  await userEvent.type(input, 'echo on{Enter}');
  expect(lines().slice(3)).toEqual(['blpop a 0', 'select 9', 'echo on']);
});

test('another session begins in its own database, and its prompt says so', async () => {
  const bench = await opened();
  const input = screen.getByRole('textbox', { name: 'Command' });
  await userEvent.type(input, 'select 3{Enter}');
  const { id } = await bench.asked('command');
  await bench.hear({ type: 'reply', id, value: { is: 'status', value: 'OK' }, ms: MS, dbName: '3' });
  expect(screen.getByText('cache[3]>', { selector: 'label' })).toBeTruthy();
  expect(screen.getByText('app@3')).toBeTruthy();
  await userEvent.type(input, 'blpop a 0{Enter}del b{Enter}');
  await bench.hear({ type: 'ended', cause: 'ended', message: 'for the test' } as EditorReply);
  expect(screen.getByText(/^Not sent/)).toBeTruthy();
  await click('Open again');
  await bench.connect({ ...REDIS, sid: 's-2' });
  expect(screen.getByText('cache[0]>', { selector: 'label' })).toBeTruthy();
});

test('where only reading is allowed there is nothing to change with', async () => {
  const bench = await opened(true);
  await looked(bench);
  expect(screen.queryByRole('button', { name: 'Delete' })).toBe(null);
  expect(screen.queryByRole('button', { name: 'Edit' })).toBe(null);
  expect(screen.getByText('Read-only')).toBeTruthy();
});

test('keys of one beginning are in a folder, which is opened by keys', async () => {
  const bench = await openWorkbench(ADDRESS);
  await bench.connect(REDIS);
  const { id } = await bench.asked('keys');
  const keys = ['user:1', 'user:2', 'flags'].map((name) => ({ name, kind: 'string' }));
  await bench.hear({ type: 'keys', id, cursor: '0', total: 3, keys });
  const lines = () => screen.getAllByRole('treeitem').map((each) => each.textContent);
  expect(lines()).toEqual(['stringflags', 'user:2']);
  screen.getByRole('tree', { name: 'Keys' }).focus();
  await userEvent.keyboard('{End}{ArrowRight}');
  expect(lines()).toEqual(['stringflags', 'user:2', 'stringuser:1', 'stringuser:2']);
  await userEvent.keyboard('{ArrowRight}');
  expect(await bench.asked('key')).toMatchObject({ name: 'user:1' });
  await userEvent.keyboard('{ArrowLeft}{ArrowLeft}');
  expect(lines()).toEqual(['stringflags', 'user:2']);
});

test('another database is gone to by its command, and a new key is shown as one before it is added', async () => {
  const bench = await opened();
  await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Database' }), 'db 3');
  const select = await bench.asked('command');
  expect(select.line).toBe('SELECT 3');
  const ok = { is: 'status' as const, value: 'OK' };
  await bench.hear({ type: 'reply', id: select.id, value: ok, ms: MS, dbName: '3' });
  await waitFor(() => expect(bench.sent().filter(({ type }) => type === 'keys')).toHaveLength(2));
  await click('New key');
  const dialog = within(await screen.findByRole('dialog'));
  await userEvent.type(dialog.getByLabelText('Name'), 'a b');
  await userEvent.type(dialog.getByLabelText('Value'), 'one');
  expect(dialog.getByText('SET "a b" one NX')).toBeTruthy();
  await userEvent.click(dialog.getByRole('button', { name: 'Add key' }));
  const add = await bench.asked('command');
  expect(add.line).toBe('SET "a b" one NX');
  await bench.hear({ type: 'reply', id: add.id, value: ok, ms: MS, dbName: '3' });
  expect(await bench.asked('key')).toMatchObject({ name: 'a b' });
});
