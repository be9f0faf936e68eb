/**
 * Runs before each test file: what is waited for gets the time of a slow and busy machine, whatever less the test names, and more
 * than the one second of the runner. A wait that is not in vain takes no longer by it.
 */
import { expect, vi } from 'vitest';

/** Real servers and browsers get longer: what they do is the work of other processes, beside which more of them run. */
const minMs = () => (/\.integration\.test\.ts$|\/e2e\//.test(expect.getState().testPath ?? '') ? 30_000 : 10_000);
const DONE = Symbol.for('gatehouse.patience');

const patient = <T extends { timeout?: number }>(options: T | number | undefined): T & { timeout: number } => {
  const given = typeof options === 'number' ? ({ timeout: options } as T) : (options ?? ({} as T));
  return { ...given, timeout: Math.max(given.timeout ?? 0, minMs()) };
};

// A shared worker keeps both from file to file.
if (!Reflect.has(vi, DONE)) {
  const { waitFor, waitUntil } = vi;
  const { poll } = expect;
  vi.waitFor = (check, options) => waitFor(check, patient(options));
  vi.waitUntil = (check, options) => waitUntil(check, patient(options));
  expect.poll = (check, options) => poll(check, options?.timeout === undefined ? options : patient(options));
  Reflect.set(vi, DONE, true);
}
