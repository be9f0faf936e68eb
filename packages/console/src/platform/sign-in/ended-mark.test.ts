import { expect, test } from 'vitest';
import { markEnded } from './ended-mark.ts';

test.each([
  ['http:', 'grv_ended=1; Path=/; Max-Age=43200; SameSite=Lax'],
  ['https:', '__Host-grv_ended=1; Path=/; Max-Age=43200; SameSite=Lax; Secure'],
])('over %s the mark is named as the gateway reads it', (protocol, cookie) => {
  const page = { cookie: '', location: { protocol } as Location };

  markEnded(page);

  expect(page.cookie).toBe(cookie);
});
