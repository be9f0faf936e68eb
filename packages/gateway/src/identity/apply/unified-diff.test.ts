import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unifiedDiff } from './unified-diff.ts';

const names = { before: 'a', after: 'b' };

test('a changed line is shown with three lines around it', () => {
  const text = (middle: string) => `1\n2\n3\n4\n${middle}\n6\n7\n8\n9\n`;

  expect(unifiedDiff(text('five'), text('5'), names)).toBe(
    '--- a\n+++ b\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-five\n+5\n 6\n 7\n 8\n',
  );
});

test('what is new and what is gone has nothing on the other side', () => {
  expect(unifiedDiff('', 'x\ny\n', names)).toBe('--- a\n+++ b\n@@ -0,0 +1,2 @@\n+x\n+y\n');
  expect(unifiedDiff('x\n', '', names)).toBe('--- a\n+++ b\n@@ -1,1 +0,0 @@\n-x\n');
  expect(unifiedDiff('x\n', 'x\n', names)).toBe('');
});

test('the difference applied to the one text gives the other', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 });
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const diff = unifiedDiff(textOf(before), textOf(after), names);

      expect(patched(before, diff)).toEqual(after);
    }),
    { numRuns: 500 },
  );
});

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

function patched(before: readonly string[], diff: string): string[] {
  const result: string[] = [];
  let at = 0;
  for (const line of diff.split('\n').slice(2, -1)) {
    const hunk = /^@@ -(\d+),(\d+) /.exec(line);
    if (hunk) {
      const start = Number(hunk[1]) - (Number(hunk[2]) === 0 ? 0 : 1);
      while (at < start) result.push(before[at++]!);
    } else if (line.startsWith('+')) result.push(line.slice(1));
    else {
      expect(before[at]).toBe(line.slice(1));
      if (line.startsWith(' ')) result.push(before[at]!);
      at += 1;
    }
  }
  return [...result, ...before.slice(at)];
}
