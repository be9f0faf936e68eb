import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type ShownToast, ToastProvider, useToast } from './toast.tsx';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

function Shower({ toast }: { toast: ShownToast }) {
  const toaster = useToast();
  return (
    <button type="button" onClick={() => toaster.show(toast)}>
      Show
    </button>
  );
}
function showToast(toast: ShownToast) {
  render(
    <ToastProvider>
      <Shower toast={toast} />
    </ToastProvider>,
  );
  fireEvent.click(screen.getByText('Show'));
}
const live = (kind: string) => document.querySelector(`[aria-live=${kind}]`)?.textContent;

test('the live regions are there before any news, or it would not be read', () => {
  render(<ToastProvider>page</ToastProvider>);

  expect([live('polite'), live('assertive')]).toEqual(['', '']);
});

test('good news is read politely and leaves after six seconds', () => {
  showToast({ title: 'Role saved' });
  expect([live('polite'), live('assertive')]).toEqual(['Role saved', '']);

  act(() => vi.advanceTimersByTime(6000));

  expect(live('polite')).toBe('');
});

test('bad news interrupts and stays until it is dismissed', () => {
  showToast({ tone: 'bad', title: 'Could not save' });
  act(() => vi.advanceTimersByTime(60_000));
  expect([live('polite'), live('assertive')]).toEqual(['', 'Could not save']);

  fireEvent.click(screen.getByLabelText('Dismiss'));

  expect(live('assertive')).toBe('');
});

test('while someone points at the news, none of it leaves', () => {
  showToast({ title: 'Role saved' });
  const region = screen.getByRole('region', { name: 'Notifications' });

  fireEvent.pointerEnter(region);
  act(() => vi.advanceTimersByTime(60_000));
  expect(live('polite')).toBe('Role saved');
  fireEvent.pointerLeave(region);
  act(() => vi.advanceTimersByTime(6000));

  expect(live('polite')).toBe('');
});

test('dismissing one piece of news by its button does not hold the others for ever', () => {
  showToast({ title: 'Role saved' });
  fireEvent.click(screen.getByText('Show'));
  const [first] = screen.getAllByLabelText('Dismiss');
  act(() => first?.focus());

  if (first) fireEvent.click(first);
  act(() => vi.advanceTimersByTime(6000));

  expect(live('polite')).toBe('');
});
