import { expect, test, vi } from 'vitest';
import type { CameIn, ForwardTarget } from '../../sessions/commands/running-command.ts';
import { ListeningPlaces, MAX_LISTENING } from './listening-places.ts';

const tcp = (port: number): ForwardTarget => ({ type: 'tcp', host: 'localhost', port });
const listening = (port: number) => ({ port, close: vi.fn() });
const nobody = () => expect.fail('nobody came');

test('a place is listened on once, until it is given up, and any port will do as often as it is asked for', async () => {
  const places = new ListeningPlaces();
  const first = listening(22);
  const start = async () => first;

  await places.listen({ at: tcp(22), start, lead: nobody });
  await expect(places.listen({ at: tcp(22), start, lead: nobody })).rejects.toThrow(
    'it listens on localhost:22 already',
  );
  expect(places.unlisten(tcp(22))).toBe(true);
  expect(first.close).toHaveBeenCalledOnce();
  expect(places.unlisten(tcp(22))).toBe(false);
  await places.listen({ at: tcp(22), start, lead: nobody });

  const given = await Promise.all(
    [1, 2].map((port) => places.listen({ at: tcp(0), start: async () => listening(port), lead: nobody })),
  );
  expect(given.map(({ at, port }) => [at, port])).toEqual([
    [tcp(1), 1],
    [tcp(2), 2],
  ]);
  expect(places.unlisten(tcp(2))).toBe(true);
});

test('what is still being asked for counts, cannot be given up yet, and is free again when it fails', async () => {
  const places = new ListeningPlaces();
  const { promise, reject } = Promise.withResolvers<never>();
  const asked = places.listen({ at: { type: 'socket', path: '/s' }, start: () => promise, lead: nobody });
  expect(places.unlisten({ type: 'socket', path: '/s' })).toBe(false);
  for (let at = 1; at < MAX_LISTENING; at++)
    await places.listen({ at: tcp(at), start: async () => listening(at), lead: nobody });
  await expect(places.listen({ at: tcp(99), start: async () => listening(99), lead: nobody })).rejects.toThrow(
    `at most ${MAX_LISTENING} ports`,
  );
  reject(new Error('it does not listen'));
  await expect(asked).rejects.toThrow('it does not listen');

  await places.listen({ at: tcp(99), start: async () => listening(99), lead: nobody });
});

test('whoever comes in waits until the program was told of the port, and is led to that one', async () => {
  const places = new ListeningPlaces();
  const led: ForwardTarget[] = [];
  let come = (_: CameIn) => {};
  const { begin } = await places.listen({
    at: tcp(0),
    async start(onCameIn) {
      come = onCameIn;
      onCameIn({} as CameIn);
      return listening(7);
    },
    lead: (at) => void led.push(at),
  });
  come({} as CameIn);
  await Promise.resolve();
  expect(led).toEqual([]);

  begin();
  await vi.waitFor(() => expect(led).toEqual([tcp(7), tcp(7)]));
});
