import { act, cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { applyTheme, readTheme, setTheme, useTheme } from './theme.ts';

afterEach(() => {
  cleanup();
  act(() => setTheme('dark'));
  localStorage.clear();
});

const attribute = () => document.documentElement.getAttribute('data-theme');

function Switch() {
  const [theme, choose] = useTheme();
  return (
    <button type="button" onClick={() => choose(theme === 'dark' ? 'light' : 'dark')}>
      {theme}
    </button>
  );
}

test('until the user chooses, the page is dark, whatever the system says', () => {
  applyTheme();

  expect(readTheme()).toBe('dark');
  expect(attribute()).toBeNull();
});

test('a choice is applied at once and kept', async () => {
  render(<Switch />);

  await userEvent.click(screen.getByText('dark'));

  expect(screen.getByText('light')).toBeDefined();
  expect(attribute()).toBe('light');
  expect(readTheme()).toBe('light');
});

test('following the system is a choice of its own, and is kept', () => {
  setTheme('light');
  setTheme('system');

  expect(attribute()).toBe('system');
  expect(localStorage.getItem('theme')).toBe('system');
  setTheme('dark');
  expect(attribute()).toBeNull();
});

test('a choice made in another tab is followed here', () => {
  render(<Switch />);

  act(() => {
    localStorage.setItem('theme', 'light');
    window.dispatchEvent(new StorageEvent('storage', { key: 'theme', newValue: 'light' }));
  });

  expect(screen.getByText('light')).toBeDefined();
  expect(attribute()).toBe('light');
});

test('a stored word that is no theme counts as no choice', () => {
  localStorage.setItem('theme', 'solarized');

  applyTheme();

  expect(readTheme()).toBe('dark');
  expect(attribute()).toBeNull();
});
