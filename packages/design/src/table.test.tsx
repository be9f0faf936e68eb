import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { Table, type TableProps } from './table.tsx';
import type { Column } from './table-head.tsx';

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

interface Row {
  name: string;
  size: number;
}
const ROWS: Row[] = [
  { name: 'alpha', size: 1 },
  { name: 'beta', size: 2 },
  { name: 'gamma', size: 3 },
];
const COLUMNS: readonly Column<Row>[] = [
  { id: 'name', title: 'Name', cell: (row) => row.name, sortKey: 'name' },
  { id: 'size', title: 'Size', cell: (row) => row.size, align: 'end' },
  { id: 'act', title: 'Act', titleHidden: true, cell: () => <button type="button">Act</button> },
];

function show(props: Partial<TableProps<Row>> = {}) {
  return render(<Table label="Things" columns={COLUMNS} rows={ROWS} rowKey={(row) => row.name} {...props} />);
}
const focused = () => document.activeElement?.textContent;

test('j and k move through the rows from anywhere and Enter opens one', async () => {
  const onOpenRow = vi.fn();
  show({ onOpenRow });

  await userEvent.keyboard('jjk');
  expect(focused()).toBe('alpha');
  await userEvent.keyboard('jjjj');
  expect(focused()).toBe('gamma');
  await userEvent.keyboard('{Enter}');

  expect(onOpenRow.mock.calls).toEqual([[ROWS[2]]]);
});

test('arrows, Home and End move once a row has the focus', async () => {
  show({ onOpenRow: () => {} });

  await userEvent.keyboard('j{ArrowDown}');
  expect(focused()).toBe('beta');
  await userEvent.keyboard('{End}');
  expect(focused()).toBe('gamma');
  await userEvent.keyboard('{Home}');
  expect(focused()).toBe('alpha');
});

test('letters typed into a field do not move the rows', async () => {
  render(<input aria-label="Search" />);
  show({ onOpenRow: () => {} });
  const search = screen.getByLabelText('Search');

  await userEvent.type(search, 'jk');

  expect(document.activeElement).toBe(search);
});

test('a click on a row opens it, a click on a button within does not', async () => {
  const onOpenRow = vi.fn();
  show({ onOpenRow });

  await userEvent.click(screen.getByText('2'));
  expect(onOpenRow.mock.calls).toEqual([[ROWS[1]]]);

  const beta = screen.getByText('beta').closest('tr');
  if (beta) await userEvent.click(within(beta).getByText('Act'));
  expect(onOpenRow).toHaveBeenCalledTimes(1);
});

test('a row that leads somewhere is a real link, and a click with Ctrl is left to the browser', () => {
  const onOpenRow = vi.fn();
  show({ rowHref: (row) => `#${row.name}`, onOpenRow });
  const link = screen.getByRole('link', { name: 'beta' });

  fireEvent.click(link, { ctrlKey: true });
  expect(onOpenRow).not.toHaveBeenCalled();
  fireEvent.click(link);

  expect(link.getAttribute('href')).toBe('#beta');
  expect(onOpenRow.mock.calls).toEqual([[ROWS[1]]]);
});

test('a head button asks for the other direction, and the head says which one is on', async () => {
  const onSortChange = vi.fn();
  show({ sort: { key: 'name', direction: 'asc' }, onSortChange });

  await userEvent.click(screen.getByRole('button', { name: 'Name' }));

  expect(screen.getByRole('columnheader', { name: 'Name' }).getAttribute('aria-sort')).toBe('ascending');
  expect(onSortChange.mock.calls).toEqual([[{ key: 'name', direction: 'desc' }]]);
});

test('the first load shows a skeleton after 400 ms, a reload keeps the rows', () => {
  vi.useFakeTimers();
  const { container, rerender } = show({ rows: [], loading: true, skeletonRows: 3, empty: 'Nothing' });
  const skeletons = () => container.querySelectorAll('[data-skeleton]').length;

  act(() => vi.advanceTimersByTime(399));
  expect(skeletons()).toBe(0);
  act(() => vi.advanceTimersByTime(1));
  expect(skeletons()).toBe(3);
  expect(screen.queryByText('Nothing')).toBeNull();

  rerender(<Table label="Things" columns={COLUMNS} rows={ROWS} rowKey={(row) => row.name} refreshing />);
  expect(screen.getByText('alpha')).toBeDefined();
  expect(screen.getByRole('table').getAttribute('aria-busy')).toBe('true');
});

test('no rows show what stands for them', () => {
  show({ rows: [], empty: 'Nothing matches' });

  expect(screen.getByText('Nothing matches')).toBeDefined();
});

test('rows are chosen by their boxes, all at once, by x, and with Shift from one to another', async () => {
  const toggled: [string, boolean, boolean][] = [];
  const all: boolean[] = [];
  show({
    onOpenRow: () => undefined,
    selection: {
      isSelected: ({ name }) => name === 'beta',
      onToggle: ({ name }, isSelected, isRange) => toggled.push([name, isSelected, isRange]),
      onToggleAll: (isSelected) => all.push(isSelected),
      label: ({ name }) => `Choose ${name}`,
      allLabel: 'Choose all',
    },
  });
  const user = userEvent.setup();

  await user.click(screen.getByRole('checkbox', { name: 'Choose alpha' }));
  await user.keyboard('{Shift>}');
  await user.click(screen.getByRole('checkbox', { name: 'Choose gamma' }));
  await user.keyboard('{/Shift}jkx');
  await user.click(screen.getByRole('checkbox', { name: 'Choose all' }));

  expect(toggled.slice(0, 2)).toEqual([
    ['alpha', true, false],
    ['gamma', true, true],
  ]);
  expect(toggled[2]?.[2]).toBe(false);
  expect(all).toEqual([true]);
});
