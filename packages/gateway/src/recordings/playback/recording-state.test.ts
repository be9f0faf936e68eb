import { expect, test } from 'vitest';
import type { Session } from '../../sessions/host/session-store.ts';
import { createRecordingStates } from './recording-state.ts';

const states = createRecordingStates({ store: { open: async () => undefined }, keys: [], now: () => 2000 });
const session = (kind: string) =>
  ({
    id: 's',
    action: { type: 'connect', kind },
    created: 1000,
    recorded: false,
    ended: undefined,
  }) as unknown as Session;

test('says of an application that there is nothing to record, not that somebody turned it off', async () => {
  const of = async (kind: string) => (await states.with(session(kind), undefined, undefined)).reason;
  expect(await of('app')).toBe('what is done in an application is not recorded; the audit log tells of it');
  expect(await of('node')).toBe('recording was switched off for this session');
});
