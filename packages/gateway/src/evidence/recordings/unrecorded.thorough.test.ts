/** A terminal whose recording breaks off in the middle: what a role calls strict ends, the rest goes on and says so. */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TerminalReply } from '@gatehouse/contract/sessions/terminal-frames';
import { expect, onTestFinished, test, vi } from 'vitest';
import { madeSession, startScene } from '../../../testing/recordings/make-recording.ts';
import { recordedItems } from '../../../testing/recordings/recorded-output.ts';
import { type RecordingMode, sessionOptions } from '../../access/session-options.ts';
import { silentLog } from '../../platform/std/log.ts';
import { HostedSession } from '../../sessions/host/hosted-session.ts';
import type { Session } from '../../sessions/host/session-store.ts';
import { createSessionScreens } from '../../sessions/screens/session-screens.ts';
import type { Shell } from '../../sessions/terminal/shell.ts';
import { Terminal } from '../../sessions/terminal/terminal.ts';
import type { ViewerWire } from '../../sessions/terminal/viewer.ts';
import type { RecordingRoom } from './writer/recording-room.ts';

async function openFull(mode: RecordingMode, room?: RecordingRoom) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-full-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const made = madeSession();
  if (!room) symlinkSync('/dev/full', join(folder, `${made.id}.rec`));
  const { writer, path } = await startScene({ session: made, folder, ...(room && { room }) });
  const session = {
    ...made,
    size: { cols: 80, rows: 24 },
    recorded: true,
    participants: ['ann'],
  } as unknown as Session;
  const options = {
    ...sessionOptions({ roles: [] }),
    recording: { ...sessionOptions({ roles: [] }).recording, node: mode },
  };
  const hosted = new HostedSession({
    session,
    options,
    rules: [],
    now: Date.now,
    onEnd() {},
    onEnter() {},
    onLeave() {},
    onRemove() {},
    onConnected() {},
    onResize() {},
    onFlow() {},
  });
  const terminal = new Terminal({
    hosted,
    recorder: writer,
    couldJoin: async () => [],
    screens: createSessionScreens({ log: silentLog }),
  });
  const ended: string[] = [];
  const quiet = () => {};
  const holder = { survives: true, takenBy: () => 0, input: quiet, resize: quiet, passed: quiet, kept: quiet };
  terminal.holder = { ...holder, end: (why: string) => void ended.push(why), release: quiet } as unknown as Shell;
  const told: TerminalReply[] = [];
  const printed: Buffer[] = [];
  const wire = {
    tell: (message: TerminalReply) => void told.push(message),
    output: (_offset: number, bytes: Uint8Array) => void printed.push(Buffer.from(bytes)),
    end: quiet,
    close: quiet,
  } as unknown as ViewerWire;
  terminal.events.begin({ start: 0, cols: 80, rows: 24, echo: true, program: '' });
  const viewer = terminal.attach({ id: 'v', wire, mode: 'peer', writer: 'w', size: session.size, from: 0 });
  terminal.begin(viewer);
  terminal.events.output(Buffer.from('cannot be kept'));
  return { hosted, told, ended, session, path };
}

test('strict: the session ends', async () => {
  const { hosted, ended } = await openFull('strict');
  await vi.waitFor(() => expect(hosted.end).toBeDefined(), 3_000);

  expect(hosted.end).toMatchObject({ cause: 'unrecorded', message: expect.stringContaining('ENOSPC') });
  expect(ended).toHaveLength(1);
});

test('best effort: it goes on, and its people are told', async () => {
  const { hosted, told, ended, session } = await openFull('best_effort');
  await vi.waitFor(() => expect(told.some(({ type }) => type === 'notice')).toBe(true), 3_000);

  expect(told).toContainEqual({ type: 'notice', kind: 'unrecorded', text: expect.stringContaining('ENOSPC') });
  expect([hosted.end, ended, session.recorded]).toEqual([undefined, [], false]);
});

test('who has printed more than is recorded of one session is ended whatever a role says, and all of it is kept', async () => {
  const room = { check: async (bytes: number) => (bytes > 0 ? 'its recording has reached 1 MB' : undefined) };
  const { hosted, ended, path } = await openFull('best_effort', room);
  await vi.waitFor(() => expect(hosted.end).toBeDefined(), 5_000);

  expect(hosted.end).toMatchObject({ cause: 'unrecorded', message: 'it was ended: its recording has reached 1 MB' });
  expect(ended).toHaveLength(1);
  await vi.waitFor(async () => expect((await recordedItems(path)).at(-1)?.type).toBe('end'), 5_000);
});
