import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { CommandPalette } from './command-palette.tsx';
import { type PaletteGroup, shownGroups } from './palette-groups.ts';

afterEach(cleanup);

function Palette({ onSelect }: { onSelect: (id: string, how: string) => void }) {
  const [open, setOpen] = useState(true);
  const [query, setQuery] = useState('');
  const item = (id: string, title: string) => ({
    id,
    title,
    enter: `Go to ${title}`,
    onSelect: (how: string) => onSelect(id, how),
  });
  return (
    <CommandPalette
      open={open}
      onOpenChange={setOpen}
      label="Search"
      query={query}
      onQueryChange={setQuery}
      bestTitle="Best match"
      empty="Nothing fits"
      groups={[
        { id: 'servers', title: 'Servers', items: [item('web', 'web-01'), item('pay', 'payments-api-02')] },
        { id: 'screens', title: 'Screens', items: [item('users', 'Users'), item('audit', 'Audit Log')] },
      ]}
    />
  );
}

const chosen = () => screen.getByRole('option', { selected: true }).textContent;
const titles = () => screen.getAllByRole('option').map((option) => option.textContent);

test('arrows move the choice around and Enter takes it', async () => {
  const onSelect = vi.fn();
  render(<Palette onSelect={onSelect} />);
  expect(chosen()).toContain('web-01');

  await userEvent.keyboard('{ArrowDown}{ArrowDown}');
  expect(chosen()).toContain('Users');
  await userEvent.keyboard('{ArrowUp}{ArrowUp}{ArrowUp}');
  expect(chosen()).toContain('Audit Log');
  await userEvent.keyboard('{Enter}');

  expect(onSelect.mock.calls).toEqual([['audit', 'plain']]);
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('letters narrow the list, best match first, with the matched letters marked', async () => {
  render(<Palette onSelect={() => {}} />);

  await userEvent.keyboard('pay');

  expect(titles()).toHaveLength(1);
  expect(document.querySelector('mark')?.textContent).toBe('pay');
  expect(screen.getByText('Best match')).toBeDefined();
  expect(chosen()).toContain('Go to payments-api-02');
});

test('the field names the chosen option for screen readers', async () => {
  render(<Palette onSelect={() => {}} />);

  await userEvent.keyboard('{ArrowDown}');

  const active = screen.getByRole('combobox').getAttribute('aria-activedescendant');
  expect(screen.getByRole('option', { selected: true }).id).toBe(active);
});

test('Enter with Ctrl takes the other way', async () => {
  const onSelect = vi.fn();
  render(<Palette onSelect={onSelect} />);

  await userEvent.keyboard('{Control>}{Enter}{/Control}');

  expect(onSelect.mock.calls).toEqual([['web', 'other']]);
});

test('when nothing fits, the palette says so and Enter does nothing', async () => {
  const onSelect = vi.fn();
  render(<Palette onSelect={onSelect} />);

  await userEvent.keyboard('zzz{Enter}');

  expect(screen.getByText('Nothing fits')).toBeDefined();
  expect(onSelect).not.toHaveBeenCalled();
});

test('Escape closes the palette', async () => {
  render(<Palette onSelect={() => {}} />);

  await userEvent.keyboard('{Escape}');

  expect(screen.queryByRole('dialog')).toBeNull();
});

const nothing = () => {};
const shown = (groups: readonly PaletteGroup[], query: string) =>
  shownGroups(groups, { query, filter: true }).map(({ title, total, note, items }) => ({
    title,
    total,
    note,
    items: items.map((item) => item.title),
  }));

test('among those that fit alike, the one taken not long ago comes first', () => {
  const items = [
    { id: 'a', title: 'web-01', onSelect: nothing },
    { id: 'b', title: 'old-web-02', onSelect: nothing, recent: true },
    { id: 'c', title: 'wide-ember-box', onSelect: nothing, recent: true },
  ];

  expect(shown([{ id: 'g', title: 'G', items }], 'web')[0]?.items).toEqual(['old-web-02', 'web-01', 'wide-ember-box']);
});

test('a group shows its best few and says how many fit', () => {
  const items = Array.from({ length: 9 }, (_, index) => ({ id: `${index}`, title: `web-${index}`, onSelect: nothing }));

  expect(shown([{ id: 'g', title: 'G', items, most: 2 }], 'web')).toEqual([
    { title: 'G', total: 9, note: undefined, items: ['web-0', 'web-1'] },
  ]);
});

test('a group that could not be searched says so beside the others', () => {
  const groups = [
    { id: 'a', title: 'A', items: [], note: 'Could not be searched.' },
    { id: 'b', title: 'B', items: [{ id: 'w', title: 'web', onSelect: nothing }] },
  ];

  expect(shown(groups, 'web')).toEqual([
    { title: 'A', total: undefined, note: 'Could not be searched.', items: [] },
    { title: 'B', total: undefined, note: undefined, items: ['web'] },
  ]);
});
