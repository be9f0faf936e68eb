import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { Button } from './button.tsx';
import { IconButton } from './icon-button.tsx';

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const Dot = () => <svg data-testid="dot" aria-hidden="true" />;

test('a disabled button says why on focus, stays reachable and does nothing', async () => {
  const onClick = vi.fn();
  render(
    <Button disabled disabledReason="Change something first." onClick={onClick}>
      Save
    </Button>,
  );
  const button = screen.getByRole('button');

  await userEvent.tab();
  await userEvent.click(button);

  expect(document.activeElement).toBe(button);
  expect(button.getAttribute('aria-disabled')).toBe('true');
  fireEvent.pointerEnter(button.parentElement ?? button, { pointerType: 'mouse' });
  expect((await screen.findByRole('tooltip')).textContent).toBe('Change something first.');
  expect(button.getAttribute('aria-describedby')).toBe(screen.getByRole('tooltip').id);
  expect(onClick).not.toHaveBeenCalled();
});

test('a loading button takes no second press and does not send its form', async () => {
  const onSubmit = vi.fn((event: SubmitEvent) => event.preventDefault());
  render(
    <form onSubmit={(event) => onSubmit(event.nativeEvent as SubmitEvent)}>
      <Button type="submit" loading loadingWord="Saving">
        Save
      </Button>
    </form>,
  );

  await userEvent.click(screen.getByRole('button'), { pointerEventsCheck: 0 });

  expect(screen.getByRole('button').getAttribute('aria-busy')).toBe('true');
  expect(onSubmit).not.toHaveBeenCalled();
});

test('the spinner takes the place of the icon, and both words are there so that the width is kept', () => {
  const { rerender } = render(
    <Button icon={Dot} loading={false} loadingWord="Saving">
      Save
    </Button>,
  );
  const before = screen.getByRole('button').textContent;

  rerender(
    <Button icon={Dot} loading loadingWord="Saving">
      Save
    </Button>,
  );

  expect(screen.getByRole('button').textContent).toBe(before);
});

test('without another word the button keeps its name while it works', () => {
  render(<Button loading>Save</Button>);

  expect(screen.getByRole('button', { name: 'Save' })).toBeDefined();
});

test('a button at rest is not named by the word it will have while working', () => {
  render(
    <Button loading={false} loadingWord="Saving">
      Save
    </Button>,
  );

  expect(screen.getByRole('button', { name: 'Save' })).toBeDefined();
});

test('an icon button is named by its label, which a pointer sees as a tooltip after a while', () => {
  vi.useFakeTimers();
  render(<IconButton icon={Dot} label="Alerts" />);
  const button = screen.getByRole('button', { name: 'Alerts' });

  fireEvent.pointerEnter(button.parentElement ?? button, { pointerType: 'mouse' });
  act(() => vi.advanceTimersByTime(399));
  expect(document.querySelector('[role=tooltip]')).toBeNull();
  act(() => vi.advanceTimersByTime(1));
  expect(document.querySelector('[role=tooltip]')?.textContent).toBe('Alerts');

  fireEvent.keyDown(document.body, { key: 'Escape' });
  act(() => vi.advanceTimersByTime(1));
  expect(document.querySelector('[role=tooltip]')).toBeNull();
});
