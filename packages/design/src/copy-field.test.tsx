import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CopyField } from './copy-field.tsx';

const writeText = vi.fn<(text: string) => Promise<void>>();

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('navigator', { clipboard: { writeText } });
  writeText.mockReset();
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function pressCopy() {
  await act(async () => {
    fireEvent.click(screen.getByLabelText('Copy'));
    await Promise.resolve();
  });
}

test('one press copies the whole value and says so for two seconds', async () => {
  writeText.mockResolvedValue();
  render(<CopyField label="Command" value="ssh deploy@web-01" />);

  await pressCopy();
  expect(writeText.mock.calls).toEqual([['ssh deploy@web-01']]);
  expect(screen.getByRole('status').textContent).toBe('Copied');

  act(() => vi.advanceTimersByTime(2000));
  expect(screen.getByRole('status').textContent).toBe('');
});

test('a refused clipboard is said, not hidden', async () => {
  writeText.mockRejectedValue(new Error('denied'));
  render(<CopyField label="Command" value="ssh deploy@web-01" />);

  await pressCopy();

  expect(screen.getByRole('alert').textContent).toContain('Could not copy');
});
