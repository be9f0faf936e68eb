import { expect, test } from 'vitest';
import { FROZEN_AFTER_MS, LOST_AFTER_MS, requireStore } from '../../platform/change-feed/lost-store.ts';
import { silentLog } from '../../platform/std/log.ts';
import { freezeWhileLost } from './freeze-lost.ts';
import { type HostedDeps, HostedSession } from './hosted-session.ts';
import type { SessionNature } from './session-parts.ts';

function hostedSession(nature: SessionNature): HostedSession {
  const session = { id: 's1', user: 'ann', created: 0, begun: 0, frozen: false, participants: ['ann'] };
  const nothing = () => {};
  const deps = { options: {}, rules: [], now: () => 0, onEnd: nothing, onEnter: nothing, onLeave: nothing };
  return new HostedSession({ ...deps, session, nature, onFlow: nothing } as unknown as HostedDeps);
}

function world(nature: SessionNature = {}) {
  const hosted = hostedSession(nature);
  hosted.enter({ id: 'v', username: 'ann', signInId: 'i', address: '', mode: 'peer', onRemoved() {} });
  const steps: string[] = [];
  const silent = { ms: 0 };
  const feed = { silentMs: () => silent.ms, settled: async () => void steps.push('settled') };
  let decide = async () => void steps.push(`decided while ${hosted.flow}`);
  const freeze = freezeWhileLost({
    feed,
    live: new Map([['s1', hosted]]),
    decideAll: () => decide(),
    log: silentLog,
  });
  freeze.close();
  const onDecide = (work: typeof decide) => {
    decide = work;
  };
  return { hosted, steps, silent, feed, look: freeze.look, onDecide };
}

test('an open session goes on while the store is away for a while, and nothing passes when it is away for long', async () => {
  const { hosted, silent, look } = world();

  silent.ms = FROZEN_AFTER_MS - 1;
  await look();
  expect([hosted.flow, hosted.mayType('v'), hosted.mayWatch('v')]).toEqual(['live', true, true]);
  silent.ms = FROZEN_AFTER_MS + 1;
  await look();

  expect([hosted.flow, hosted.mayType('v'), hosted.mayWatch('v')]).toEqual(['frozen', false, false]);
  expect(hosted.end).toBeUndefined();
});

test('what cannot be held up is over, since its bytes would pass', async () => {
  const { hosted, silent, look } = world({ cannotWait: true });

  silent.ms = FROZEN_AFTER_MS - 1;
  await look();
  expect(hosted.end).toBeUndefined();
  silent.ms = FROZEN_AFTER_MS + 1;
  await look();

  expect(hosted.end).toMatchObject({ cause: 'failed', message: 'the gateway has lost its database' });
});

test('what is cut in parts is held up as well: its next use asks anew', async () => {
  const { hosted, silent, look } = world({ cannotWait: true, isCutInParts: true });
  silent.ms = FROZEN_AFTER_MS + 1;
  await look();

  expect([hosted.end, hosted.isSuspended]).toEqual([undefined, true]);
});

test('under lock: strict nothing goes on once nobody can tell who is locked', async () => {
  const { hosted, silent, look } = world();
  hosted.options = { ...hosted.options, lockMode: 'strict' };

  silent.ms = LOST_AFTER_MS - 1;
  await look();
  expect(hosted.end).toBeUndefined();
  silent.ms = LOST_AFTER_MS + 1;
  await look();

  expect(hosted.end).toMatchObject({ cause: 'locked' });
});

test('it goes on by itself, but not before everything was heard and decided', async () => {
  const { hosted, silent, steps, look } = world();
  silent.ms = FROZEN_AFTER_MS + 1;
  await look();

  silent.ms = 100;
  await look();

  expect(steps).toEqual(['settled', 'decided while frozen']);
  expect([hosted.flow, hosted.mayType('v')]).toEqual(['live', true]);
});

test('a session that cannot be decided yet stays held up', async () => {
  const { hosted, silent, look, onDecide } = world();
  silent.ms = FROZEN_AFTER_MS + 1;
  await look();
  onDecide(async () => {
    throw new Error('gone again');
  });

  silent.ms = 100;
  await look();

  expect(hosted.flow).toBe('frozen');
});

test('what cannot be held up is cut, also what comes to a session that is held up already', async () => {
  const { hosted, silent, look } = world();
  const cut: string[] = [];
  silent.ms = FROZEN_AFTER_MS + 1;
  for (const part of ['first', 'late']) {
    hosted.parts.attach({ onCut: () => void cut.push(part) });
    await look();
  }

  expect(cut).toEqual(['first', 'late']);
  expect(hosted.end).toBeUndefined();
});

test('nothing new is opened on rights that nobody heard of for some seconds', () => {
  const { feed, silent } = world();
  silent.ms = LOST_AFTER_MS - 1;
  expect(() => requireStore(feed)).not.toThrow();
  silent.ms = LOST_AFTER_MS + 1;

  expect(() => requireStore(feed)).toThrow('the gateway has lost its database');
});
