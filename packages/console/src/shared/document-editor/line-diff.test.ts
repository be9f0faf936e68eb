import { expect, test } from 'vitest';
import { countChanges, lineDiff } from './line-diff.ts';

const shown = (before: string, after: string) =>
  lineDiff(before, after).map(
    ({ type, text, line }) => `${{ same: ' ', added: '+', removed: '-' }[type]}${line ?? ''}${text}`,
  );

test.each<[string, string, string[]]>([
  ['a\nb\n', 'a\nb\n', [' 1a', ' 2b']],
  ['a\nb\nc\n', 'a\nx\nc\n', [' 1a', '-b', '+2x', ' 3c']],
  ['a\n', 'a\nb\n', [' 1a', '+2b']],
  ['a\nb\n', 'b\n', ['-a', ' 1b']],
  ['', 'a\n', ['+1a']],
  ['a', '', ['-a']],
  ['a\nb\nc\nd\n', 'b\nd\ne\n', ['-a', ' 1b', '-c', ' 2d', '+3e']],
])('from %j to %j', (before, after, lines) => {
  expect(shown(before, after)).toEqual(lines);
});

test('the removed and the same lines are the old text, the added and the same lines the new one', () => {
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed % below;
  };
  for (let round = 0; round < 300; round += 1) {
    const make = () => Array.from({ length: random(12) }, () => 'abcd'.charAt(random(4))).join('\n');
    const [before, after] = [make(), make()];
    const lines = lineDiff(before, after);
    const kept = (type: string) =>
      lines.filter((line) => line.type === 'same' || line.type === type).map(({ text }) => text);

    expect(kept('removed').join('\n')).toBe(before);
    expect(kept('added').join('\n')).toBe(after);
  }
});

test('changes are counted', () => {
  expect(countChanges(lineDiff('a\nb\n', 'a\nc\nd\n'))).toEqual({ added: 2, removed: 1 });
});
