import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { closePage } from '../../../testing/open-page.tsx';
import { SID } from '../../../testing/terminal/fake-terminal-gateway.ts';
import { openTerminal } from '../../../testing/terminal/open-terminal.ts';
import { readSettings } from '../../shared/terminal-theme/terminal-settings.ts';

afterEach(async () => {
  await closePage();
  sessionStorage.clear();
  vi.restoreAllMocks();
});

async function openMenu() {
  const { connect } = await openTerminal();
  await connect();
  await waitFor(() => expect(window.location.pathname).toContain(SID));
  const user = userEvent.setup();
  const choose = async (role: 'menuitem' | 'menuitemradio', name: string | RegExp) => {
    await user.click(screen.getByRole('button', { name: 'Terminal options' }));
    await user.click(await screen.findByRole(role, { name }));
  };
  return { user, choose };
}

test('a session is shared by its address, which says what it gives', async () => {
  const { choose } = await openMenu();
  await choose('menuitem', 'Copy link to this session');

  expect(await screen.findByText(/gives nobody more than their roles do/)).toBeTruthy();
  expect(await navigator.clipboard.readText()).toBe(`http://localhost:3080/web/cluster/one/console/session/${SID}`);
});

test('terminals fill the screen, and have the font that was chosen', async () => {
  const { choose } = await openMenu();
  const full = vi.fn(async () => {});
  HTMLElement.prototype.requestFullscreen = full;
  await choose('menuitem', /^Full screen/);
  expect(full).toHaveBeenCalledOnce();

  await choose('menuitemradio', 'Of this system');
  expect(readSettings(localStorage.getItem('terminal') ?? undefined).font).toBe('system');
});
