import { expect, test } from 'vitest';
import { sessionOptions } from '../../../access/session-options.ts';
import { isElsewhere } from '../../../identity/sign-in/tied-address.ts';
import { clientKey } from '../../../platform/std/client-key.ts';
import { HostedSession } from '../../../sessions/host/hosted-session.ts';
import type { Session } from '../../../sessions/host/session-store.ts';
import { FileSession } from './file-session.ts';

function session() {
  const hosted = new HostedSession({
    session: { id: 'f1', user: 'ann', signInId: 's1', begun: 0 } as Session,
    options: sessionOptions({ roles: [] }),
    rules: [],
    now: () => 0,
    onEnd() {},
    onEnter() {},
    onLeave() {},
    onRemove() {},
    onConnected() {},
    onResize() {},
    onFlow() {},
  });
  const files = new FileSession(hosted, { connect: () => Promise.reject(new Error('none')), now: () => 0 });
  return { files, usedFrom: () => [...hosted.participants.values()].map(({ address }) => address) };
}

test('however many addresses it is used from, a few are kept, and wherever it is tied to one of them is elsewhere', () => {
  const { files, usedFrom } = session();
  const addresses = Array.from({ length: 1_000 }, (_, at) => `10.0.${at >> 8}.${at & 255}`);
  for (const address of addresses) files.addAddress(address);

  expect(usedFrom().length).toBeLessThanOrEqual(2);
  for (const address of addresses)
    expect(usedFrom().some((each) => isElsewhere({ tiedTo: clientKey(address) }, each))).toBe(true);
});

test('addresses of one network are one place', () => {
  const { files, usedFrom } = session();
  for (const address of ['2001:db8::1', '2001:db8::2', '2001:db8::3']) files.addAddress(address);

  expect(usedFrom().some((each) => isElsewhere({ tiedTo: clientKey('2001:db8::9') }, each))).toBe(false);
  expect(usedFrom().some((each) => isElsewhere({ tiedTo: '10.0.0.1' }, each))).toBe(true);
});
