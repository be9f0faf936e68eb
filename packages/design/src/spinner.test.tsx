import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Spinner } from './spinner.tsx';
import type { Delay } from './use-delay.ts';
import { DesignWordsProvider } from './words.tsx';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const shown = () => screen.queryByRole('status') !== null;
const pass = (ms: number) => act(() => vi.advanceTimersByTime(ms));

test('a spinner without delay shows at once', () => {
  render(<Spinner delay="none" />);

  expect(shown()).toBe(true);
});

test.each<[Delay | undefined, number]>([
  [undefined, 400],
  ['short', 400],
  ['long', 600],
])('a spinner with delay %s renders nothing before %i ms', (delay, ms) => {
  const { container } = render(<Spinner delay={delay} />);

  pass(ms - 1);
  expect(container.innerHTML).toBe('');

  pass(1);
  expect(shown()).toBe(true);
});

test('an answer before the delay leaves nothing behind', () => {
  const { unmount } = render(<Spinner />);
  unmount();

  expect(vi.getTimerCount()).toBe(0);
});

test('a spinner says what is loading, in the words of the application', () => {
  const { rerender } = render(<Spinner delay="none" label="Loading servers" />);
  expect(screen.getByRole('status').textContent).toBe('Loading servers');

  rerender(
    <DesignWordsProvider words={{ loading: 'Lädt' }}>
      <Spinner delay="none" />
    </DesignWordsProvider>,
  );
  expect(screen.getByRole('status').textContent).toBe('Lädt');
});
