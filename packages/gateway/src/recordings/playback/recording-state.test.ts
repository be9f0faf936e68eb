import { expect, test } from 'vitest';
import type { Session } from '../../sessions/host/session-store.ts';
import { createRecordingStates } from './recording-state.ts';

const states = createRecordingStates({ store: { open: async () => undefined }, keys: [], now: () => 2000 });
const session = (more: Partial<Session>) =>
  ({
    ...{ id: 's', action: { type: 'connect', kind: 'node' }, created: 1000, recorded: false, interactive: true },
    ...{ ended: undefined, ...more },
  }) as unknown as Session;
const file = { bytes: 516, read: async () => Buffer.alloc(0), close: async () => {} };

test('says why there is nothing to play', async () => {
  const of = (more: Partial<Session>) => states.with(session(more), undefined, file);
  const ended = { at: 1500, cause: 'failed', message: 'the server refused the login' } as const;

  expect(await states.with(session({}), undefined, undefined)).toMatchObject({
    state: 'disabled',
    reason: 'recording was switched off for this session',
  });
  expect(await of({ ended })).toMatchObject({ state: 'never_connected', playable: false, reason: ended.message });
  expect(await of({ ended, interactive: false, connected: 1100 })).toMatchObject({
    state: 'non_interactive',
    playable: false,
  });
});
