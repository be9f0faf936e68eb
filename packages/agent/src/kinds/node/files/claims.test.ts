import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Claim, Claims } from './claims.ts';

const claim = fc.record({
  changes: fc.boolean(),
  file: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
  from: fc.nat(5),
  length: fc.integer({ min: 1, max: 5 }),
});

test('two requests that touch the same never run at once, and keep their order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(claim, { maxLength: 30 }),
      fc.array(fc.nat(4), { minLength: 1 }),
      async (asked, waits) => {
        const claims = new Claims();
        const log: { index: number; what: 'begins' | 'ends' }[] = [];
        const asClaims: Claim[] = asked.map(({ length, ...rest }) => ({ ...rest, to: rest.from + length }));

        await Promise.all(
          asClaims.map((each, index) =>
            claims.run(each, async () => {
              log.push({ index, what: 'begins' });
              for (let turn = waits[index % waits.length] ?? 0; turn > 0; turn--) await Promise.resolve();
              log.push({ index, what: 'ends' });
            }),
          ),
        );

        const at = (index: number, what: string) =>
          log.findIndex((entry) => entry.index === index && entry.what === what);
        for (const [later, b] of asClaims.entries()) {
          for (const [earlier, a] of asClaims.slice(0, later).entries()) {
            const sameFile = a.file === undefined || b.file === undefined || a.file === b.file;
            const overlap = Math.max(a.from, b.from) < Math.min(a.to, b.to);
            if ((a.changes || b.changes) && sameFile && overlap) {
              expect(at(earlier, 'ends')).toBeLessThan(at(later, 'begins'));
            }
          }
        }
      },
    ),
  );
});

test('reads of one file and writes to different places run side by side', async () => {
  const claims = new Claims();
  const gate = Promise.withResolvers<void>();
  let running = 0;
  const work = async () => {
    running += 1;
    await gate.promise;
  };

  const all = [
    claims.run({ changes: false, file: 'a', from: 0, to: 10 }, work),
    claims.run({ changes: false, file: 'a', from: 5, to: 15 }, work),
    claims.run({ changes: true, file: 'a', from: 20, to: 30 }, work),
    claims.run({ changes: true, file: 'b', from: 0, to: 10 }, work),
  ];
  await Promise.resolve();

  expect(running).toBe(4);
  gate.resolve();
  await Promise.all(all);
});

test('work that fails lets the next one go on', async () => {
  const claims = new Claims();
  const whole = { changes: true, from: 0, to: 1 };

  const failed = claims.run(whole, () => Promise.reject(new Error('disk')));
  const next = claims.run(whole, async () => 'done');

  await expect(failed).rejects.toThrow('disk');
  expect(await next).toBe('done');
});
