import { expect, test } from 'vitest';
import { appSpec, appUri, offeredAppSpec } from './app-spec.ts';

test.each(['http://h/ł/', 'http://h/a\u010d\u010aSET', 'https://h/\u{1f600}', 'http://h/\ud800'])(
  'an address with letters that no request carries (%j) is refused and told how to write them',
  (uri) => {
    const { error } = appUri.safeParse(uri);

    expect(error?.issues[0]?.message).toMatch(/^holds '.+', which no request can carry: write it as %[0-9A-F%]+$/u);
    expect(offeredAppSpec.safeParse({ uri }).success).toBe(false);
  },
);

test('one that was stored before is read as it should have been written', () => {
  expect(appSpec.parse({ uri: 'http://h/ł/\u{1f600}' }).uri).toBe('http://h/%C5%82/%F0%9F%98%80');
  expect(appSpec.parse({ uri: 'http://h/%C5%82/?'.slice(0, -1) }).uri).toBe('http://h/%C5%82/');
});
