import { expect, test } from 'vitest';
import { createFailureLimit } from './failure-limit.ts';

const ADDRESS = '192.0.2.1';
const BURST = 20;

/** Many calls at once, each of which takes a while. */
async function runMany(limit: ReturnType<typeof createFailureLimit>, times: number, works: (index: number) => boolean) {
  let begun = 0;
  const outcomes = await Promise.allSettled(
    Array.from({ length: times }, (_, index) =>
      limit.run(
        ADDRESS,
        async () => {
          begun += 1;
          await new Promise((resolve) => setTimeout(resolve, 1));
          return works(index);
        },
        (worked) => !worked,
      ),
    ),
  );
  return { begun, refused: outcomes.filter(({ status }) => status === 'rejected').length };
}

test('of a hundred that fail at once no more are begun than one after the other', async () => {
  const limit = createFailureLimit(() => 0);

  expect(await runMany(limit, 100, () => false)).toEqual({ begun: BURST, refused: 80 });
  expect(() => limit.check(ADDRESS)).toThrow('too many requests from your address');
  expect(() => limit.check('192.0.2.2')).not.toThrow();
});

test('seventy that work at once all do, whatever the limit, and cost nothing', async () => {
  const limit = createFailureLimit(() => 0);

  expect(await runMany(limit, 70, () => true)).toEqual({ begun: 70, refused: 0 });
  expect(await runMany(limit, 100, () => false)).toEqual({ begun: BURST, refused: 80 });
});

test('failures among those that work leave the others their place', async () => {
  const limit = createFailureLimit(() => 0);

  expect(await runMany(limit, 70, (index) => index % 7 !== 0)).toEqual({ begun: 70, refused: 0 });
  expect(await runMany(limit, 100, () => false)).toEqual({ begun: BURST - 10, refused: 90 });
});

test('behind so many of one address nobody waits, and is told before a body is read', async () => {
  const limit = createFailureLimit(() => 0);
  const { promise: slow, resolve: end } = Promise.withResolvers<void>();
  const call = () =>
    limit.run(
      ADDRESS,
      () => slow,
      () => false,
    );
  const held = Array.from({ length: BURST + 50 }, call);
  await Promise.resolve();

  expect(() => limit.check(ADDRESS)).toThrow('too many requests from your address');
  await expect(call()).rejects.toThrow('too many requests from your address');
  expect(() => limit.check('192.0.2.2')).not.toThrow();
  end();
  await Promise.all(held);
  expect(() => limit.check(ADDRESS)).not.toThrow();
});

test('failures of a whole network are counted too, and another network is not counted with it', async () => {
  const limit = createFailureLimit(() => 0);
  const fail = (address: string) =>
    limit.run(
      address,
      async () => false,
      () => true,
    );
  for (let client = 0; client < 20; client++)
    for (let times = 0; times < BURST; times++) await fail(`2001:db8:1:${client.toString(16)}::1`);

  expect(() => limit.check('2001:db8:1:ff::1')).toThrow('too many requests from your address');
  await expect(fail('2001:db8:1:ff::1')).rejects.toThrow('too many requests from your address');
  expect(() => limit.check('2001:db8:2::1')).not.toThrow();
});

test('what throws has failed', async () => {
  const limit = createFailureLimit(() => 0);
  const fails = () =>
    limit
      .run(
        ADDRESS,
        () => Promise.reject(new Error('a bad answer')),
        () => false,
      )
      .catch((error: Error) => error.message);

  const said = await Promise.all(Array.from({ length: BURST + 1 }, fails));

  expect(new Set(said.slice(0, BURST))).toEqual(new Set(['a bad answer']));
  expect(said[BURST]).toContain('too many requests');
});

test('failures are forgotten with time', async () => {
  let now = 0;
  const limit = createFailureLimit(() => now);
  await runMany(limit, 100, () => false);

  now = 60_000;

  expect(await runMany(limit, 100, () => false)).toEqual({ begun: 10, refused: 90 });
});
