import { expect, test, vi } from 'vitest';
import type { AccessControl } from '../../access/create-access.ts';
import { sessionOptions } from '../../access/session-options.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { decideSessions } from './decide-session.ts';
import { HostedSession } from './hosted-session.ts';
import type { Session } from './session-store.ts';

/** Allows everything. */
const access = {
  of: () => ({ roles: [] }),
  decide: () => ({ allowed: true }),
  lockFor: () => undefined,
  lockOn: () => undefined,
  roleNames: () => [],
} as unknown as AccessControl;
const ask = {
  select: () => ask,
  selectAll: () => ask,
  where: () => ask,
  execute: async () => [],
};
const db = { selectFrom: () => ask } as unknown as Db;

test('who comes in while everybody is being read is not taken for somebody who is no more', async () => {
  const session = { id: 's', user: 'ann', signInId: 'a', begun: 0, created: 0, action: { kind: 'node' } };
  const hosted = new HostedSession({
    session: session as unknown as Session,
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
  const onRemoved = vi.fn();
  const known = new Set<string>();

  await decideSessions({ db, access, now: () => 0 }, [hosted], async (names) => {
    for (const name of names) known.add(name);
    hosted.enter({ id: 'late', username: 'bob', signInId: 'b', address: '', mode: 'observer', onRemoved });
    return ({ user }) =>
      known.has(user) ? ({ username: user, roles: [], traits: {} } as unknown as Actor) : undefined;
  });

  expect(onRemoved).not.toHaveBeenCalled();
  expect(hosted.end).toBeUndefined();
});
