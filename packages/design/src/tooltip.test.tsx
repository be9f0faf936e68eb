import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { IconButton } from './icon-button.tsx';

afterEach(() => {
  vi.useRealTimers();
  cleanup();
});

const Cross = () => <svg aria-hidden="true" />;
const shownTip = () => screen.queryByRole('tooltip', { hidden: true });

test('a tip is shown to whoever comes by keyboard, and goes with a click', async () => {
  render(<IconButton icon={Cross as never} label="Close" />);
  const user = userEvent.setup();
  await user.tab();
  expect(await screen.findByRole('tooltip', { hidden: true })).toBeTruthy();

  await user.keyboard('{Enter}');
  await expect.poll(shownTip).toBe(null);
});

test('a button that gets the focus back says nothing: its tip would stay and cover what is beside it', () => {
  vi.useFakeTimers();
  render(<IconButton icon={Cross as never} label="Close" />);
  fireEvent.keyDown(document, { key: 'Escape' });
  act(() => screen.getByRole('button').focus());
  act(() => vi.runAllTimers());

  expect(shownTip()).toBe(null);
});
