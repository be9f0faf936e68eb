import { expect, test } from 'vitest';
import type { Actor } from '../platform/http/actor.ts';
import { silentLog } from '../platform/std/log.ts';
import type { Tx } from '../platform/storage/tables.ts';
import { type HostedDeps, HostedSession } from './host/hosted-session.ts';
import { noteRecording, openRecording } from './open-recording.ts';
import type { Recorder } from './recorder.ts';

const OWNER = {} as Actor;
const modes = (node: 'off' | 'best_effort' | 'strict') => ({ recording: { node } });

function hostedSession(recorded: boolean): HostedSession {
  const session = { id: 's1', user: 'ann', begun: 0, participants: [], recorded, action: { kind: 'node' } };
  const deps = { options: modes('off'), rules: [], now: () => 0, onEnd() {} };
  return new HostedSession({ ...deps, session } as unknown as HostedDeps);
}

/** As a change of roles does it. */
function change(hosted: HostedSession, mode: Parameters<typeof modes>[0]): void {
  hosted.options = modes(mode) as typeof hosted.options;
  hosted.tellTerms(OWNER);
}

const recorder = (over: object) =>
  ({ isOn: true, skip: async () => {}, open: async () => 'writer', ...over }) as unknown as Recorder<string, never>;
const fails = async () => {
  throw new Error('no disk');
};

test.each([
  ['a role turned off', false, recorder({})],
  ['could not be begun', true, recorder({ open: fails })],
])('a session whose recording %s is over once a role wants it strictly', async (_, recorded, given) => {
  const hosted = hostedSession(recorded);
  expect(await openRecording(given, hosted, { log: silentLog })).toBeUndefined();

  change(hosted, 'best_effort');
  expect(hosted.end).toBeUndefined();
  change(hosted, 'strict');
  expect(hosted.end).toMatchObject({ cause: 'unrecorded' });
});

test.each([
  ['is recorded', true, recorder({})],
  ['is nowhere recorded', false, recorder({ isOn: false })],
])('one that %s goes on', async (_, recorded, given) => {
  const hosted = hostedSession(recorded);
  await openRecording(given, hosted, { log: silentLog });

  change(hosted, 'strict');
  expect(hosted.end).toBeUndefined();
});

test('with a session that is to be recorded its recording is noted, with any other none', async () => {
  const noted: unknown[] = [];
  const note = noteRecording({ begins: async (...given) => void noted.push(given) });
  const tx = {} as Tx;
  await note?.(tx, { id: 's1', recorded: true });
  await note?.(tx, { id: 's2', recorded: false });

  expect(noted).toEqual([[tx, 's1']]);
  expect(noteRecording(undefined)).toBeUndefined();
});

test('a recording that was noted with its session is opened as a new one, once, and any other as one that may be known', async () => {
  const opened: unknown[] = [];
  const given = recorder({ open: async (_: unknown, _options: unknown, how: unknown) => void opened.push(how) });
  const [noted, other] = [hostedSession(true), hostedSession(true)];
  await noteRecording({ begins: async () => {} })?.({} as Tx, noted.session);
  for (const hosted of [noted, noted, other]) await openRecording(given, hosted, { log: silentLog });

  expect(opened).toEqual([{ isNew: true }, { isNew: false }, { isNew: false }]);
});
