import { act, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { closePage } from '../../../testing/open-page.tsx';
import { openTerminal } from '../../../testing/terminal/open-terminal.ts';

afterEach(async () => {
  await closePage();
  sessionStorage.clear();
  vi.restoreAllMocks();
});

const connected = () => waitFor(() => expect(screen.getAllByText('Connected').length).toBeGreaterThan(1));

test('without a network nothing says that it is connected, at once, and there is one way to try again', async () => {
  const { connect } = await openTerminal();
  await connect();
  await connected();
  expect(screen.getByText('Online')).toBeTruthy();

  await act(async () => void window.dispatchEvent(new Event('offline')));

  expect(screen.queryByText('Connected')).toBe(null);
  expect(screen.getAllByText('Reconnecting').length).toBeGreaterThan(1);
  expect(screen.queryByText('Online')).toBe(null);
  expect(screen.getAllByRole('button', { name: /try now/i })).toHaveLength(1);
});

test('a page that a phone puts away leaves its shell as a lost network does; that of a desktop leaves it at once', async () => {
  const { connect, terminal } = await openTerminal();
  await connect();
  await connected();
  const matches = vi.spyOn(window, 'matchMedia');

  matches.mockReturnValue({ matches: false } as MediaQueryList);
  window.dispatchEvent(new Event('pagehide'));
  expect(terminal.lines[0]?.closeCode).toBe(undefined);
  matches.mockReturnValue({ matches: true } as MediaQueryList);
  window.dispatchEvent(new Event('pagehide'));
  expect(terminal.lines[0]?.closeCode).toBe(4000);
});
