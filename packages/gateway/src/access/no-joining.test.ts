import { expect, test } from 'vitest';
import { openMemoryStorage } from '../../testing/storage/memory-storage.ts';
import { localActor } from '../identity/sign-in/local-actor.ts';
import { createAudit } from '../platform/audit/emit.ts';
import { openChangeFeed } from '../platform/change-feed/change-feed.ts';
import { silentLog } from '../platform/std/log.ts';
import type { Action } from './action.ts';
import { createAccess } from './create-access.ts';

const JOIN: Action = { type: 'join', session: { kind: 'ssh', ownerRoles: ['access'] }, mode: 'observer' };

test.each([true, false])('with canJoinSessions %s joining is decided so for everybody', async (canJoinSessions) => {
  const storage = await openMemoryStorage(Date.now);
  const feed = await openChangeFeed({ storage, log: silentLog, now: Date.now });
  const audit = createAudit({ now: Date.now, clusterName: 'one', chain: 'gateway' });
  const access = await createAccess({ db: storage.db, feed, audit, log: silentLog, now: Date.now, canJoinSessions });

  expect(access.decide(localActor(), JOIN).allowed).toBe(canJoinSessions);
  expect(access.canJoinSessions).toBe(canJoinSessions);

  access.close();
  await feed.close();
  await storage.close();
});
