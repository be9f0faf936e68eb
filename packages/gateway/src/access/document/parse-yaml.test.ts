import { expect, test } from 'vitest';
import { readLocated } from './locate.ts';
import { parseYaml } from './parse-yaml.ts';

const KEYS = Array.from({ length: 18_000 }, (_, at) => `k${at}: ${at % 10}`);

test.each([
  ['of flow', `{${KEYS.join(', ')}}`],
  ['of blocks', KEYS.join('\n')],
])('the time that a map takes grows no quicker than it does: %s', (_what, text) => {
  const before = process.threadCpuUsage();
  expect(readLocated(text).value).toMatchObject({ k0: 0, k17999: 9 });
  expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(8_000);
});

test('what is too long or too deep is not parsed', () => {
  expect(() => parseYaml('x'.repeat(300_000))).toThrow('more than 262144 characters');
  expect(() => parseYaml('['.repeat(1_000))).toThrow('nested too deeply');
});

test.each([
  ['a: 1\nb: 2\na: 3', 3, 1],
  ['{ a: { b: 1, b: 2 } }', 1, 14],
  ['- x\n- ? 1\n  ? 1', 3, 5],
])('a key that is there twice is refused where it stands: %j', (text, line, column) => {
  expect(() => readLocated(text)).toThrow(`line ${line}, column ${column}: not valid YAML: Map keys must be unique`);
});
