import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Resource } from '../../inventory/resource-store.ts';
import type { SshConnection } from './engine/connect-ssh.ts';
import { createSharedLogins } from './shared-logins.ts';

const SERVER: Resource = {
  ...{ cluster: 'c', kind: 'node', id: 'n1', name: 'web-1', labels: {}, owner: '', expires: undefined },
  spec: { addr: 'a:22' },
};
const forever = new AbortController().signal;
const wanted = (more: object = {}) => ({
  ...{ resource: SERVER, login: 'root', who: { user: 'ann', session: 's1', signInId: 'i1' }, signal: forever },
  ...more,
});

/** Connections that are up at once; `close` is heard of, and `lose` ends one as a server does. */
function connections() {
  const made: { isClosed: boolean; lose: () => void }[] = [];
  const connect = vi.fn(async ({ signal }: { signal?: AbortSignal }) => {
    await Promise.resolve();
    signal?.throwIfAborted();
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const one = { isClosed: false, lose: resolve };
    made.push(one);
    const close = () => {
      one.isClosed = true;
      resolve();
    };
    return { closed, close } as SshConnection;
  });
  return { made, connect, shared: createSharedLogins(connect) };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('commands of one sign-in at one server share a connection, at once and one after another', async () => {
  const { made, shared } = connections();
  const [first, second] = await Promise.all([shared.lease(wanted()), shared.lease(wanted())]);
  first.giveBack();
  second.giveBack();
  vi.advanceTimersByTime(9_000);
  const third = await shared.lease(wanted());
  vi.advanceTimersByTime(60_000);
  expect(made).toEqual([expect.objectContaining({ isClosed: false })]);
  third.giveBack();
  third.giveBack();
  third.retire();
  expect(made).toEqual([expect.objectContaining({ isClosed: false })]);
  await vi.advanceTimersByTimeAsync(11_000);

  expect(made).toEqual([expect.objectContaining({ isClosed: true })]);
});

test.each([
  ['another sign-in', { who: { user: 'ann', session: 's1', signInId: 'i2' } }],
  ['another person', { who: { user: 'bob', session: 's1', signInId: 'i1' } }],
  ['another login', { login: 'deploy' }],
  ['another server', { resource: { ...SERVER, id: 'n2' } }],
  ['a server that was edited', { resource: { ...SERVER, spec: { addr: 'b:22' } } }],
])('%s has a connection of its own', async (_, other) => {
  const { made, shared } = connections();
  await shared.lease(wanted());
  await shared.lease(wanted(other));

  expect(made).toHaveLength(2);
});

test('a connection gets no more than a server lets one have, and fewer where it says so', async () => {
  const { made, shared } = connections();
  const leases = await Promise.all(Array.from({ length: 9 }, () => shared.lease(wanted())));
  expect(made).toHaveLength(2);
  for (const lease of leases.slice(0, 7)) lease.giveBack();
  leases[7]?.giveBack();
  shared.isFull(leases[0]!);
  await shared.lease(wanted());
  await shared.lease(wanted());

  expect(made).toHaveLength(2);
});

test('one that was lost or cut is given to nobody else', async () => {
  const { made, shared } = connections();
  await shared.lease(wanted());
  made[0]?.lose();
  await vi.advanceTimersByTimeAsync(0);
  const second = await shared.lease(wanted());
  second.cut();
  await shared.lease(wanted());

  expect(made).toHaveLength(3);
  expect(made[1]?.isClosed).toBe(true);
});

test('one that is retired serves who has it, and ends with the last of them', async () => {
  const { made, shared } = connections();
  const [first, second] = await Promise.all([shared.lease(wanted()), shared.lease(wanted())]);
  first.retire();
  await shared.lease(wanted());
  expect(made.map(({ isClosed }) => isClosed)).toEqual([false, false]);
  second.giveBack();
  await vi.advanceTimersByTimeAsync(0);

  expect(made.map(({ isClosed }) => isClosed)).toEqual([true, false]);
});

test('who gives up while it is dialled leaves the others waiting, and the last one ends the dialling', async () => {
  const { made, connect, shared } = connections();
  const ends = [new AbortController(), new AbortController()] as const;
  const [one, two] = ends.map(({ signal }) => shared.lease(wanted({ signal })));
  ends[0].abort();
  await expect(one).rejects.toThrow();
  await expect(two).resolves.toBeDefined();
  expect(made).toHaveLength(1);
  const gone = new AbortController();
  const third = shared.lease(wanted({ signal: gone.signal, login: 'deploy' }));
  gone.abort();
  await expect(third).rejects.toThrow();

  expect(connect.mock.calls[1]?.[0].signal?.aborted).toBe(true);
});

test('a failure is told to all who wait for it, and the next one tries again', async () => {
  const { connect, shared } = connections();
  connect.mockRejectedValueOnce(new Error('no way'));
  const both = [shared.lease(wanted()), shared.lease(wanted())];
  for (const each of both) await expect(each).rejects.toThrow('no way');
  await shared.lease(wanted());

  expect(connect).toHaveBeenCalledTimes(2);
});
