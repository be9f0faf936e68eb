import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { LabelChip } from './label-chip.tsx';
import { countThatFit, LabelChips } from './label-chips.tsx';

afterEach(cleanup);

test.each([
  [[50, 50, 50], 200, 3],
  [[50, 50, 50], 158, 3],
  [[50, 50, 50], 157, 2],
  [[50, 50, 50], 100, 1],
  [[300], 100, 1],
  [[], 100, 0],
])('of chips %j in %i px fit %i', (widths, room, count) => {
  expect(countThatFit(widths, room)).toBe(count);
});

test('a click on a label picks it', async () => {
  const onPick = vi.fn();
  const labels = [
    { name: 'env', value: 'prod' },
    { name: 'role', value: 'db' },
  ];
  render(<LabelChips labels={labels} onPick={onPick} isActive={(label) => label.name === 'env'} />);

  await userEvent.click(screen.getByRole('button', { name: 'role: db' }));

  expect(onPick.mock.calls).toEqual([[labels[1]]]);
  expect(screen.getByRole('button', { name: 'env: prod' }).getAttribute('aria-pressed')).toBe('true');
});

test('the cross on a filter names what it takes away', async () => {
  const onRemove = vi.fn();
  render(<LabelChip name="env" value="prod" active onRemove={onRemove} />);

  await userEvent.click(screen.getByRole('button', { name: 'Remove env: prod' }));

  expect(onRemove).toHaveBeenCalledOnce();
});
