import { cleanup, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import type { Column } from './table-head.tsx';
import { type RowSource, VirtualTable, type VirtualTableProps } from './virtual-table.tsx';

afterEach(cleanup);

interface Row {
  name: string;
}
const onAct = vi.fn();
const COLUMNS: readonly Column<Row>[] = [
  { id: 'name', title: 'Name', cell: (row) => row.name, sortKey: 'name' },
  {
    id: 'act',
    title: 'Act',
    titleHidden: true,
    cell: (row) => (
      <button type="button" data-row-action="" onClick={() => onAct(row.name)}>
        Act on {row.name}
      </button>
    ),
  },
];

/** Rows named by their number; those of `missing` are not there yet, `extra` are inserted before all others. */
function source(count: number, { missing = () => false, extra = 0, list = 'all' }: Made = {}): RowSource<Row> {
  return {
    list,
    count: count + extra,
    rowAt: (index) => (missing(index) ? undefined : { name: index < extra ? `x${index}` : `r${index - extra}` }),
    indexOf: (key) => (key.startsWith('r') ? Number(key.slice(1)) + extra : Number(key.slice(1))),
  };
}
interface Made {
  missing?: (index: number) => boolean;
  extra?: number;
  list?: string;
}

const table = (rows: RowSource<Row>, props: Partial<VirtualTableProps<Row>> = {}) => (
  <VirtualTable
    label="Things"
    columns={COLUMNS}
    source={rows}
    rowKey={rowKey}
    onRange={noRange}
    onOpenRow={() => {}}
    {...props}
  />
);
const rowKey = (row: Row) => row.name;
const noRange = () => {};
const box = () => screen.getByRole('grid').parentElement as HTMLElement;
const focused = () => document.activeElement?.querySelector('td')?.textContent;
const shown = () => screen.getAllByRole('row').slice(1);

test('only rows in sight are on the page, and each says which of all it is', () => {
  render(table(source(100_000)));

  expect(screen.getByRole('grid').getAttribute('aria-rowcount')).toBe('100001');
  expect(shown().length).toBeLessThan(60);
  expect(screen.getByRole('row', { name: /r3 / }).getAttribute('aria-rowindex')).toBe('5');
});

test('scrolling shows other rows and says which are wanted', async () => {
  const onRange = vi.fn();
  render(table(source(100_000), { onRange }));

  box().scrollTop = 50_000 * 40;
  box().dispatchEvent(new Event('scroll'));

  expect(await screen.findByRole('row', { name: /r50000 / })).toBeTruthy();
  expect(screen.queryByRole('row', { name: /r3 / })).toBe(null);
  await waitFor(() => expect(onRange).toHaveBeenLastCalledWith({ first: 50_000, last: 50_020 }));
});

test('the keys reach rows that are not on the page yet', async () => {
  render(table(source(100_000)));

  await userEvent.keyboard('j');
  expect(focused()).toBe('r0');
  await userEvent.keyboard('{ArrowDown}{ArrowDown}{ArrowUp}');
  expect(focused()).toBe('r1');
  await userEvent.keyboard('{PageDown}');
  expect(focused()).toBe('r20');
  await userEvent.keyboard('{End}');
  expect(focused()).toBe('r99999');
  await userEvent.keyboard('{PageUp}k');
  expect(focused()).toBe('r99979');
  await userEvent.keyboard('{Home}');
  expect(focused()).toBe('r0');
});

test('Space opens a row, Enter presses its action, a click on it opens it and one on a control does not', async () => {
  const onOpenRow = vi.fn();
  render(table(source(100), { onOpenRow }));

  await userEvent.keyboard('jj{Enter} ');
  await userEvent.click(screen.getByText('r5'));
  await userEvent.click(screen.getByRole('button', { name: 'Act on r7' }));

  expect(onAct.mock.calls).toEqual([['r1'], ['r7']]);
  expect(onOpenRow.mock.calls).toEqual([[{ name: 'r1' }], [{ name: 'r5' }]]);
});

test('what Enter opened gives the focus back to the row', async () => {
  render(table(source(100)));
  await userEvent.keyboard('jj{Enter}');

  screen.getByRole('button', { name: 'Act on r1' }).focus();

  expect(focused()).toBe('r1');
});

test('Tab goes through the controls of one row and then past all the others', async () => {
  render(
    <>
      {table(source(100))}
      <button type="button">After</button>
    </>,
  );
  await userEvent.keyboard('jj');

  await userEvent.tab();
  expect(document.activeElement?.textContent).toBe('Act on r1');
  await userEvent.tab();
  expect(document.activeElement?.textContent).toBe('After');
});

test('a row that has the focus keeps it while others are scrolled into sight', async () => {
  render(table(source(100_000)));
  await userEvent.keyboard('jj');

  box().scrollTop = 9_000 * 40;
  box().dispatchEvent(new Event('scroll'));
  await screen.findByRole('row', { name: /r9000 / });

  expect(focused()).toBe('r1');
  await userEvent.keyboard('{ArrowDown}');
  expect(focused()).toBe('r2');
});

test('a row that is not there yet can have the focus and keeps it when it comes', async () => {
  const { rerender } = render(table(source(1000, { missing: (index) => index > 500 })));
  await userEvent.keyboard('j{End}');
  expect(document.activeElement?.getAttribute('aria-busy')).toBe('true');

  rerender(table(source(1000)));

  expect(focused()).toBe('r999');
});

test('rows that come or go above do not move those in sight', () => {
  const { rerender } = render(table(source(1000)));
  box().scrollTop = 400;
  box().dispatchEvent(new Event('scroll'));

  rerender(table(source(1000, { extra: 3 })));
  expect(box().scrollTop).toBe(520);
  rerender(table(source(1000)));

  expect(box().scrollTop).toBe(400);
});

test('at the top what is new is seen, and another list begins at its top', () => {
  const { rerender } = render(table(source(1000)));

  rerender(table(source(1000, { extra: 3 }), { isNew: (row) => row.name.startsWith('x') }));
  expect(box().scrollTop).toBe(0);
  expect(screen.getByRole('row', { name: /x0 / }).dataset.new).toBe('true');
  box().scrollTop = 800;
  rerender(table(source(50, { list: 'few' })));

  expect(box().scrollTop).toBe(0);
});

test('while nothing is known it says that it is loading, and nothing at all says why', () => {
  const { rerender } = render(table(source(0), { loading: true }));
  expect(screen.getByRole('grid', { name: 'Things: Loading' })).toBeTruthy();

  rerender(table(source(0), { empty: <p>None yet</p> }));

  expect(screen.getByText('None yet')).toBeTruthy();
});

test('a card has room for each of its lines: what is beside the title and below it, and whatever spans it', () => {
  const column = (card: Column<Row>['card'], index: number): Column<Row> => ({
    ...COLUMNS[0]!,
    id: `column-${index}`,
    ...(card ? { card } : {}),
  });
  const heightOf = (...cards: Column<Row>['card'][]) => {
    const { unmount } = render(table(source(3), { columns: cards.map(column) }));
    const height = screen.getByRole('grid').style.getPropertyValue('--card-height');
    unmount();
    return height;
  };

  expect(heightOf('title', 'subtitle', 'wide', 'action')).toBe('96px');
  // Whether it can be reached stands below what is pressed.
  expect(heightOf('title', 'subtitle', 'wide', 'end', 'action')).toBe('124px');
  expect(heightOf('title', 'subtitle', 'wide', 'end', 'start', 'action')).toBe('124px');
  expect(heightOf(undefined, 'none', 'none')).toBe('96px');
  expect(heightOf(undefined, undefined, undefined, undefined)).toBe('124px');
});
