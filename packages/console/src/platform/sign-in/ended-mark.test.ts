import { expect, test } from 'vitest';
import { markEnded } from './ended-mark.ts';

test.each([
  ['http:', undefined, 'grv_ended=1; Path=/; Max-Age=43200; SameSite=Lax'],
  ['https:', 'ann; x@b', '__Host-grv_ended=ann%3B%20x%40b; Path=/; Max-Age=43200; SameSite=Lax; Secure'],
])('over %s the mark is named as the gateway reads it, and says whose it is', (protocol, user, cookie) => {
  const page = { cookie: '', location: { protocol } as Location };

  markEnded(page, user);

  expect(page.cookie).toBe(cookie);
});
