import { cleanup, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { Button } from './button.tsx';
import { Menu, MenuItem } from './menu.tsx';

afterEach(cleanup);

function show(onSelect = vi.fn()) {
  render(
    <Menu trigger={<Button>More</Button>}>
      <MenuItem onSelect={() => onSelect('files')}>Browse files</MenuItem>
      <MenuItem disabled onSelect={() => onSelect('root')}>
        root
      </MenuItem>
      <MenuItem onSelect={() => onSelect('copy')}>Copy command</MenuItem>
    </Menu>,
  );
  return onSelect;
}

test('arrows skip what is disabled, Enter takes, and the focus returns to the button', async () => {
  const onSelect = show();
  screen.getByText('More').closest('button')?.focus();

  await userEvent.keyboard('{Enter}{ArrowDown}{Enter}');

  expect(onSelect.mock.calls).toEqual([['copy']]);
  await waitFor(() => expect(document.activeElement?.textContent).toBe('More'));
});

test('Escape closes the menu, and an open one writes no style element', async () => {
  show();
  await userEvent.click(screen.getByText('More'));
  expect(screen.getByRole('menu')).toBeDefined();
  expect(document.querySelectorAll('style')).toHaveLength(0);

  await userEvent.keyboard('{Escape}');

  await waitFor(() => expect(screen.queryByRole('menu')).toBeNull());
});
