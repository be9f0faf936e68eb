import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { closePage } from '../../../../testing/open-page.tsx';
import { openTerminal } from '../../../../testing/terminal/open-terminal.ts';

afterEach(async () => {
  await closePage();
  sessionStorage.clear();
});

async function openShell() {
  const { connect, terminal } = await openTerminal();
  await connect();
  await waitFor(() => expect(document.querySelector('.xterm-helper-textarea')).toBeTruthy());
  const paste = (text: string) =>
    act(async () => {
      const data = { getData: () => text };
      const event = Object.assign(new Event('paste', { bubbles: true, cancelable: true }), { clipboardData: data });
      document.querySelector('[data-terminal]')?.dispatchEvent(event);
    });
  const dialog = () => screen.findByRole('dialog', { name: 'Paste 2 lines?' });
  const gone = () => waitFor(() => expect(screen.queryByRole('dialog')).toBe(null));
  return { terminal, paste, dialog, gone, user: userEvent.setup() };
}

test('Enter pastes, Escape does not, and it says so', async () => {
  const { terminal, paste, dialog, gone, user } = await openShell();
  await paste('one\ntwo');
  expect(within(await dialog()).getByText(/Enter pastes it, Esc does not/)).toBeTruthy();
  await waitFor(() => expect(document.activeElement?.textContent).toBe('Paste'));
  await user.keyboard('{Escape}');
  await gone();
  expect(terminal.typedText()).toBe('');

  await paste('one\ntwo');
  await dialog();
  await waitFor(() => expect(document.activeElement?.textContent).toBe('Paste'));
  await user.keyboard('{Enter}');
  await gone();
  await waitFor(() => expect(terminal.typedText()).toBe('one\rtwo'));
});

test('several lines can go as one, and the question can be left out from then on', async () => {
  const { terminal, paste, dialog, gone, user } = await openShell();
  await paste('one\ntwo');
  await user.click(within(await dialog()).getByRole('checkbox', { name: 'Do not ask again in this terminal' }));
  await user.click(screen.getByRole('button', { name: 'Paste as one line' }));
  await gone();
  await waitFor(() => expect(terminal.typedText()).toBe('one two'));

  await paste('\nthree\nfour');
  await waitFor(() => expect(terminal.typedText()).toBe('one two\rthree\rfour'));
  expect(screen.queryByRole('dialog')).toBe(null);
});
