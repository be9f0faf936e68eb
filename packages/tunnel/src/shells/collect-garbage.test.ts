import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** In a process of its own: the flags of the engine are those of the whole process. */
function collectionsWhilePassing({ large }: { large: boolean }): { minor: number; major: number } {
  const program = `
    import { PerformanceObserver, constants } from 'node:perf_hooks';
    import { collectAfter, collectLargeHeap } from ${JSON.stringify(new URL('./collect-garbage.ts', import.meta.url).href)};
    ${large ? 'collectLargeHeap();' : ''}
    const count = { minor: 0, major: 0 };
    new PerformanceObserver((list) => {
      for (const { detail } of list.getEntries())
        count[detail.kind === constants.NODE_PERFORMANCE_GC_MINOR ? 'minor' : 'major'] += 1;
    }).observe({ entryTypes: ['gc'] });
    const pass = (left) => {
      if (left === 0) return setTimeout(() => console.log(JSON.stringify(count)), 50);
      for (let i = 0; i < 16; i += 1) {
        Buffer.allocUnsafeSlow(64 * 1024);
        collectAfter(64 * 1024);
      }
      setImmediate(pass, left - 1);
    };
    pass(100);
  `;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  return JSON.parse(said);
}

test('a small heap is swept after every 2 MB that pass, so that the engine never looks through all of it', () => {
  const { minor, major } = collectionsWhilePassing({ large: false });

  expect(minor).toBeGreaterThanOrEqual(40);
  expect(major).toBeLessThanOrEqual(2);
});

test('a large heap is swept at most ten times a second', () => {
  const { minor } = collectionsWhilePassing({ large: true });

  expect(minor).toBeLessThan(40);
});
