import { expect, test } from 'vitest';
import type { Session, SessionEnd } from '../../sessions/host/session-store.ts';
import { TAKEN_WITHIN_MS, whoTookOver } from './tell-take-over.ts';

const running = (
  user: string,
  created: number,
  more: { login?: string; end?: SessionEnd['cause']; id?: string } = {},
) => {
  const { login = 'svc', end, id = 'win-1' } = more;
  const session = { user, created, action: { kind: 'desktop', login, resource: { id } } } as unknown as Session;
  return { protocol: 'rdp' as const, hosted: { session, end: end && { cause: end, message: '' } } };
};

test('whoever came with the same login just before the host ended another has taken it over', () => {
  const ann = running('ann', 0, { end: 'exited' });
  const bob = running('bob', 100_000, { login: 'SVC' });
  expect(whoTookOver(ann, [ann, bob], 101_000)?.user).toBe('bob');
  expect(whoTookOver(running('ann', 0, { end: 'target_lost' }), [bob], 101_000)?.user).toBe('bob');
  // That one was there for long, is over as well, or is somewhere else.
  expect(whoTookOver(ann, [ann, bob], 100_001 + TAKEN_WITHIN_MS)).toBeUndefined();
  for (const other of [{ end: 'closed' as const }, { login: 'other' }, { id: 'win-2' }])
    expect(whoTookOver(ann, [running('bob', 100_000, other)], 101_000)).toBeUndefined();
  // One's own, begun anew.
  expect(whoTookOver(ann, [ann, running('ann', 100_000)], 101_000)).toBeUndefined();
});

test('what people or roles end was taken over by nobody', () => {
  for (const end of ['closed', 'locked', 'signed_out'] as const)
    expect(whoTookOver(running('ann', 0, { end }), [running('bob', 1_000)], 2_000)).toBeUndefined();
});
