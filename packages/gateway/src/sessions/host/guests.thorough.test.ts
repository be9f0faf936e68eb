/** Guests: sessions that are used on one gateway and kept by another. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AppWorld, openApp, startAppWorld } from '../../../testing/apps/app-world.ts';
import { sessionOptions } from '../../access/session-options.ts';
import { HostedSession } from './hosted-session.ts';
import type { SessionNature } from './session-parts.ts';
import { findSession, type Session } from './session-store.ts';

const HOUR_MS = 3_600_000;
const GUEST: SessionNature = { cannotWait: true, endsWithSignIn: true, neverIdle: true };
let world: AppWorld;

beforeAll(async () => {
  world = await startAppWorld();
  await world.add('calm', `http://127.0.0.1:${await world.upstream((_, response) => response.end('inside'))}`);
});
afterAll(() => world.close());

test.each([
  ['a guest that nobody has come to goes on: whoever keeps it knows who is there', { isGuest: true }, undefined],
  ['a session that nobody has come to is over', {}, { cause: 'grace_over' }],
])('%s', (_, nature, end) => {
  let now = 0;
  const nothing = () => {};
  const hosted = new HostedSession({
    session: { id: 's1', user: 'ann', signInId: 'i1', created: 0, begun: 0 } as Session,
    ...{ options: sessionOptions({ roles: [] }), rules: [], nature, now: () => now },
    ...{ onEnd: nothing, onEnter: nothing, onLeave: nothing, onRemove: nothing },
    ...{ onConnected: nothing, onResize: nothing, onFlow: nothing },
  });

  now = HOUR_MS;

  if (end) expect(hosted.overdue()).toMatchObject(end);
  else expect(hosted.overdue()).toBeUndefined();
});

test('a session that was ended after it was read is over when it is followed', async () => {
  const { gateway, ann } = world;
  await openApp(world, ann, 'calm.localhost');
  const [id = ''] = gateway.sessions.all().map((hosted) => hosted.id);
  const read = await findSession(gateway.storage.db, 'localhost', id);
  const owner = read && (await gateway.sessions.owner(read));
  if (!read || !owner) throw new Error('nothing was opened');
  await gateway.sessions.end(id, { cause: 'ended_by', message: 'it was ended by admin' });
  await expect.poll(async () => (await findSession(gateway.storage.db, 'localhost', id))?.ended).toBeDefined();
  await gateway.settled();

  const followed = await gateway.sessions.follow({ session: read, owner, nature: GUEST });

  expect(followed.end).toMatchObject({ cause: 'ended_by' });
  expect(gateway.sessions.get(id)).toBeUndefined();
});
