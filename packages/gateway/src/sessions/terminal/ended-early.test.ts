/** A session that is over before its recording was opened: as when its people left while the disk was slow. */
import { expect, test, vi } from 'vitest';
import { sessionOptions } from '../../access/session-options.ts';
import { HostedSession } from '../host/hosted-session.ts';
import type { Session } from '../host/session-store.ts';
import type { SessionScreens } from '../screens/session-screens.ts';
import type { Shell } from './shell.ts';
import { Terminal } from './terminal.ts';
import type { TerminalRecorder } from './terminal-recorder.ts';

const END = { cause: 'grace_over', message: 'nobody came back to it' } as const;

function endedBefore() {
  const nothing = () => {};
  const session = { id: 'one', user: 'ann', size: { cols: 80, rows: 24 }, participants: ['ann'] } as unknown as Session;
  const hosted = new HostedSession({
    ...{ session, options: sessionOptions({ roles: [] }), rules: [], now: () => 0 },
    ...{ onEnd: nothing, onEnter: nothing, onLeave: nothing, onRemove: nothing },
    ...{ onConnected: nothing, onResize: nothing, onFlow: nothing },
  });
  hosted.finish(END);
  const recorder = { onDurable: nothing, onFailed: nothing, onFull: nothing, close: vi.fn() };
  const terminal = new Terminal({
    hosted,
    recorder: recorder as unknown as TerminalRecorder,
    couldJoin: async () => [],
    screens: {} as SessionScreens,
  });
  return { terminal, recorder };
}

test('its recording is closed: nobody else would ever let go of the file', () => {
  expect(endedBefore().recorder.close).toHaveBeenCalledExactlyOnceWith(END);
});

test('nobody waits for its shell', async () => {
  await endedBefore().terminal.ready;
});

test('a shell that comes all the same is ended', () => {
  const { terminal } = endedBefore();
  const end = vi.fn();
  terminal.holder = { survives: true, end } as unknown as Shell;
  expect(end).toHaveBeenCalledWith(END.message);
});
