import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Step, StepSlider } from './step-slider.tsx';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const step = (id: string): Step => ({
  id,
  label: id,
  view: ({ next, previous, switchFlow }) => (
    <>
      <input aria-label={`field of ${id}`} />
      <button type="button" onClick={next}>{`next of ${id}`}</button>
      <button type="button" onClick={previous}>{`previous of ${id}`}</button>
      <button type="button" onClick={() => switchFlow('other')}>{`switch of ${id}`}</button>
    </>
  ),
});
const FLOWS = { main: [step('name'), step('code')], other: [step('passkey')] };

const group = (name: string) => screen.getByRole('group', { name, hidden: true });
const place = (name: string) => group(name).dataset.place;
const press = (text: string) => fireEvent.click(screen.getByText(text));
const pass = (ms: number) => act(() => vi.advanceTimersByTime(ms));

test('a step slides in for 500 ms by default', () => {
  render(<StepSlider flows={FLOWS} initialFlow="main" />);
  expect(place('name')).toBe('active');

  press('next of name');
  expect([place('name'), place('code')]).toEqual(['leaving-next', 'entering-next']);
  pass(499);
  expect(place('code')).toBe('entering-next');
  pass(1);
  expect([place('name'), place('code')]).toEqual(['away', 'active']);
});

test('going back slides the other way, and what was typed is still there', () => {
  render(<StepSlider flows={FLOWS} initialFlow="main" durationMs={100} />);
  fireEvent.change(screen.getByLabelText('field of name'), { target: { value: 'maya' } });
  press('next of name');
  pass(100);

  press('previous of code');

  expect([place('name'), place('code')]).toEqual(['entering-previous', 'leaving-previous']);
  expect(screen.getByLabelText<HTMLInputElement>('field of name').value).toBe('maya');
});

test('the focus goes to the new step at once, and the steps out of sight are inert', () => {
  render(<StepSlider flows={FLOWS} initialFlow="main" />);
  expect(document.activeElement).toBe(document.body);

  press('next of name');

  expect(document.activeElement).toBe(screen.getByLabelText('field of code'));
  expect([group('name').hasAttribute('inert'), group('code').hasAttribute('inert')]).toEqual([true, false]);
});

test('a flow can be switched for another, and steps never reached are not made', () => {
  const onStepChange = vi.fn();
  render(<StepSlider flows={FLOWS} initialFlow="main" onStepChange={onStepChange} />);

  press('switch of name');
  pass(500);

  expect(onStepChange.mock.calls).toEqual([['other', 'passkey']]);
  expect(place('passkey')).toBe('active');
  expect(screen.queryByLabelText('field of code')).toBeNull();
});

test('beyond the last step nothing happens', () => {
  render(<StepSlider flows={FLOWS} initialFlow="other" />);

  press('next of passkey');

  expect(place('passkey')).toBe('active');
});

test('with less motion wanted the step is there at once', () => {
  vi.stubGlobal('matchMedia', () => ({ matches: true }));
  render(<StepSlider flows={FLOWS} initialFlow="main" />);

  press('next of name');
  pass(0);

  expect(place('code')).toBe('active');
});
