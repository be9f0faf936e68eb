import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { Button } from './button.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { Dialog } from './dialog.tsx';
import { Menu, MenuItem } from './menu.tsx';
import { ToastProvider, useToast } from './toast.tsx';

afterEach(cleanup);

function Opener({ dismissable }: { dismissable?: boolean }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Open
      </button>
      <Dialog open={open} onOpenChange={setOpen} dismissable={dismissable} title="Remove it?">
        <input aria-label="Reason" />
      </Dialog>
    </>
  );
}

async function openDialog() {
  await userEvent.click(screen.getByText('Open'));
  return screen.getByRole('dialog', { name: 'Remove it?' });
}

/** Radix starts to listen for clicks outside one turn after it opened. */
async function pressBackdrop() {
  await new Promise((resolve) => setTimeout(resolve, 10));
  const backdrop = document.querySelector('[data-backdrop]');
  if (!backdrop) throw new Error('there is no backdrop');
  fireEvent.pointerDown(backdrop, { button: 0, pointerType: 'mouse' });
  fireEvent.click(backdrop);
}

test('Escape closes a dialog and the focus returns to what opened it', async () => {
  render(<Opener />);
  await openDialog();

  await userEvent.keyboard('{Escape}');

  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(document.activeElement).toBe(screen.getByText('Open'));
});

test('a press on the backdrop closes a dialog', async () => {
  render(<Opener />);
  await openDialog();

  await pressBackdrop();

  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

test('a dialog that may not be dismissed stays on Escape and backdrop and has no cross', async () => {
  render(<Opener dismissable={false} />);
  await openDialog();

  await userEvent.keyboard('{Escape}');
  await pressBackdrop();

  expect(screen.getByRole('dialog')).toBeDefined();
  expect(screen.queryByLabelText('Close')).toBeNull();
});

test('the first field of a dialog has the focus', async () => {
  render(<Opener />);
  await openDialog();

  expect(document.activeElement).toBe(screen.getByLabelText('Reason'));
});

test('a dialog holds the page still while it is open, and writes no style element', async () => {
  render(<Opener />);
  await openDialog();
  expect(document.documentElement.dataset.scrollLocked).toBe('');
  expect(document.querySelectorAll('style')).toHaveLength(0);

  await userEvent.keyboard('{Escape}');

  await waitFor(() => expect(document.documentElement.dataset.scrollLocked).toBeUndefined());
});

function FromMenu() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Menu trigger={<Button>More</Button>}>
        <MenuItem onSelect={() => setOpen(true)}>Remove</MenuItem>
      </Menu>
      <Dialog open={open} onOpenChange={setOpen} title="Remove it?">
        <input aria-label="Reason" />
      </Dialog>
    </>
  );
}

test('a dialog opened from a menu gives the focus back to the button of the menu', async () => {
  render(<FromMenu />);
  await userEvent.click(screen.getByText('More'));
  await userEvent.click(screen.getByText('Remove'));
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Reason')));

  await userEvent.keyboard('{Escape}');

  await waitFor(() => expect(document.activeElement?.textContent).toBe('More'));
});

test('a toast can be dismissed without closing the dialog under it', async () => {
  render(
    <ToastProvider>
      <Opener />
      <Shower />
    </ToastProvider>,
  );
  fireEvent.click(screen.getByText('Show'));
  await openDialog();
  await new Promise((resolve) => setTimeout(resolve, 10));
  const dismiss = screen.getByLabelText('Dismiss');

  fireEvent.pointerDown(dismiss, { button: 0, pointerType: 'mouse' });
  fireEvent.click(dismiss);

  expect(screen.queryByText('Could not save')).toBeNull();
  expect(screen.getByRole('dialog')).toBeDefined();
});

function Shower() {
  const toaster = useToast();
  return (
    <button type="button" onClick={() => toaster.show({ tone: 'bad', title: 'Could not save' })}>
      Show
    </button>
  );
}

test('a dangerous act is confirmed only after its name was typed', async () => {
  const onConfirm = vi.fn();
  render(
    <ConfirmDialog
      open
      onOpenChange={() => {}}
      title="Remove web-01?"
      confirmWord="Remove server"
      cancelWord="Keep it"
      typed={{ text: 'web-01', label: 'Type the name', reason: 'Type the name first.' }}
      onConfirm={onConfirm}
    >
      It disappears for everyone.
    </ConfirmDialog>,
  );
  const field = screen.getByLabelText('Type the name');

  await userEvent.type(field, 'web-0{Enter}');
  await userEvent.click(screen.getByText('Remove server'));
  expect(onConfirm).not.toHaveBeenCalled();

  await userEvent.type(field, '1{Enter}');
  expect(onConfirm).toHaveBeenCalledOnce();
});
