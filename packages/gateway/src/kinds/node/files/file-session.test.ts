import { expect, test } from 'vitest';
import { sessionOptions } from '../../../access/session-options.ts';
import { isElsewhere } from '../../../identity/sign-in/tied-address.ts';
import { clientKey } from '../../../platform/std/client-key.ts';
import { FileSession, type FileSessionFacts } from './file-session.ts';

function session(): FileSession {
  const deps = { connect: () => Promise.reject(new Error('none')), onEnd() {}, now: () => 0 };
  return new FileSession({ id: 'f1' } as FileSessionFacts, sessionOptions({ roles: [] }), deps);
}

test('however many addresses it is used from, a few are kept, and wherever it is tied to one of them is elsewhere', () => {
  const used = session();
  const addresses = Array.from({ length: 1_000 }, (_, at) => `10.0.${at >> 8}.${at & 255}`);
  for (const address of addresses) used.addAddress(address);

  expect(used.usedFrom.length).toBeLessThanOrEqual(2);
  for (const address of addresses)
    expect(used.usedFrom.some((each) => isElsewhere({ tiedTo: clientKey(address) }, each))).toBe(true);
});

test('addresses of one network are one place', () => {
  const used = session();
  for (const address of ['2001:db8::1', '2001:db8::2', '2001:db8::3']) used.addAddress(address);

  expect(used.usedFrom.some((each) => isElsewhere({ tiedTo: clientKey('2001:db8::9') }, each))).toBe(false);
  expect(used.usedFrom.some((each) => isElsewhere({ tiedTo: '10.0.0.1' }, each))).toBe(true);
});
