import { expect, test } from 'vitest';
import { firstToOpen } from './first-to-open.ts';

/** Opens what is said of each address: at once, never, or not at all. */
function opener(how: Readonly<Record<string, 'opens' | 'silent' | 'refused'>>) {
  const opened: string[] = [];
  const closed: string[] = [];
  const givenUp: string[] = [];
  const open = (address: string, signal: AbortSignal) => {
    opened.push(address);
    if (how[address] === 'refused') return Promise.reject(new Error(`${address} refuses`));
    if (how[address] === 'opens') return Promise.resolve({ address, destroy: () => void closed.push(address) });
    return new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => {
        givenUp.push(address);
        reject(signal.reason);
      });
    });
  };
  return { open, opened, closed, givenUp };
}
const never = new AbortController().signal;

test('an address that is silent delays the others by a moment, and is given up when one opens', async () => {
  const { open, givenUp } = opener({ a: 'silent', b: 'silent', c: 'opens' });
  const begun = performance.now();

  const { address } = await firstToOpen(['a', 'b', 'c'], open, never);

  expect(address).toBe('c');
  expect(givenUp).toEqual(['a', 'b']);
  expect(performance.now() - begun).toBeLessThan(10_000);
});

test('one that refuses is followed at once, and none after one that opens is tried', async () => {
  const { open, opened } = opener({ a: 'refused', b: 'opens', c: 'opens' });

  expect((await firstToOpen(['a', 'b', 'c'], open, never)).address).toBe('b');
  expect(opened).toEqual(['a', 'b']);
});

test('where all refuse, the last is told; where one stays silent, the time that ran out', async () => {
  const { open } = opener({ a: 'refused', b: 'refused', c: 'silent' });

  await expect(firstToOpen(['a', 'b'], open, never)).rejects.toThrow('b refuses');
  await expect(firstToOpen(['c', 'a'], open, AbortSignal.timeout(400))).rejects.toMatchObject({ name: 'TimeoutError' });
  await expect(firstToOpen([], open, never)).rejects.toThrow('there is no address');
});

test('nothing is tried once it was given up', async () => {
  const { open, opened } = opener({ a: 'opens' });

  await expect(firstToOpen(['a'], open, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  expect(opened).toEqual([]);
});

test('of two that open at once the second is closed', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const closed: string[] = [];
  const open = async (address: string) => {
    if (address === 'b') resolve();
    await promise;
    return { address, destroy: () => void closed.push(address) };
  };

  const { address } = await firstToOpen(['a', 'b'], open, never);
  await Promise.resolve();

  expect([address, ...closed].sort()).toEqual(['a', 'b']);
});

test('whatever a dial was tried within is over with it, and no error is made for that', async () => {
  const { open } = opener({ a: 'opens' });
  const signals: AbortSignal[] = [];
  const noting = (address: string, signal: AbortSignal) => {
    signals.push(signal);
    return open(address, signal);
  };
  await firstToOpen(['a'], noting, never);
  await firstToOpen(['a'], noting, never);

  const [first, second] = signals;
  expect([first?.aborted, second?.aborted]).toEqual([true, true]);
  expect(first?.reason).toBe(second?.reason);
});
