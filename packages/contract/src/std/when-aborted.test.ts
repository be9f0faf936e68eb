import { expect, test, vi } from 'vitest';
import { whenAborted } from './when-aborted.ts';

test('what is aborted already is told at once', () => {
  const run = vi.fn();
  whenAborted(AbortSignal.abort(), run);
  expect(run).toHaveBeenCalledOnce();
});

test('what is aborted later is told then, once', () => {
  const run = vi.fn();
  const controller = new AbortController();
  whenAborted(controller.signal, run);
  expect(run).not.toHaveBeenCalled();
  controller.abort();
  controller.abort();
  expect(run).toHaveBeenCalledOnce();
});

test('who wants to hear no more hears no more', () => {
  const run = vi.fn();
  const controller = new AbortController();
  whenAborted(controller.signal, run)();
  controller.abort();
  expect(run).not.toHaveBeenCalled();
});
