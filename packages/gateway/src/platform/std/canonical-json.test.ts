import { expect, test } from 'vitest';
import { canonicalJson } from './canonical-json.ts';

test.each([
  [{ b: 1, a: { d: undefined, c: [undefined, null, true] } }, '{"a":{"c":[null,null,true]},"b":1}'],
  [[-0, 1e300, 0.1, Number.NaN, Number.POSITIVE_INFINITY], '[0,1e+300,0.1,null,null]'],
  [{ 'a "quoted" \\ key': 'line\nend' }, '{"a \\"quoted\\" \\\\ key":"line\\nend"}'],
  ['\u007fé\u2028\ud800', '"\u007fé\u2028\\ud800"'],
  [undefined, 'null'],
  [{}, '{}'],
])('%j is written in one way', (value, text) => {
  expect(canonicalJson(value)).toBe(text);
});

test('every character stands as JSON has it', () => {
  for (let code = 0; code < 0x300; code += 1) {
    const text = `a${String.fromCharCode(code)}b`;
    expect(canonicalJson(text)).toBe(JSON.stringify(text));
  }
});
