/** How fast a shell prints, and what is kept of it, is for those who work in it: whoever only watches holds nothing up. */
import type { ParticipantMode } from '@gatehouse/contract/sessions/terminal-frames';
import { expect, test } from 'vitest';
import { sessionOptions } from '../../access/session-options.ts';
import { HostedSession } from '../host/hosted-session.ts';
import type { Session } from '../host/session-store.ts';
import type { SessionScreens } from '../screens/session-screens.ts';
import type { Shell } from './shell.ts';
import { Terminal } from './terminal.ts';

const MIB = 1024 * 1024;
const nothing = () => {};

function running() {
  const session = { id: 'one', user: 'ann', size: { cols: 80, rows: 24 }, participants: ['ann'] } as unknown as Session;
  const hosted = new HostedSession({
    ...{ session, options: sessionOptions({ roles: [] }), rules: [], now: () => 0 },
    ...{ onEnd: nothing, onEnter: nothing, onLeave: nothing, onRemove: nothing },
    ...{ onConnected: nothing, onResize: nothing, onFlow: nothing },
  });
  const screens = { printed: nothing } as unknown as SessionScreens;
  const terminal = new Terminal({ hosted, recorder: undefined, couldJoin: async () => [], screens });
  const told = { passed: 0, kept: 0 };
  terminal.holder = {
    ...{ survives: true, takenBy: () => 0, input: nothing, resize: nothing, end: nothing, release: nothing },
    roundTrip: async () => undefined,
    passed: (offset) => {
      told.passed = offset;
    },
    kept: (offset) => {
      told.kept = offset;
    },
  } satisfies Shell;
  terminal.events.begin({ start: 0, cols: 80, rows: 24, echo: true, program: '' });
  return {
    told,
    print(bytes: number) {
      terminal.events.output(Buffer.alloc(bytes));
      // What comes in one turn is moved in the next: whoever looks moves it at once.
      terminal.events.taken('w', 0);
    },
    come(username: string, mode: ParticipantMode) {
      const wire = { output: nothing, picture: nothing, tell: nothing, end: nothing, moved: nothing };
      const size = { cols: 80, rows: 24 };
      const id = `${username} ${mode}`;
      const viewer = terminal.attach({ id, wire, mode, writer: id, size, from: 0 });
      hosted.enter({ id, username, signInId: '', address: '', mode, onRemoved: nothing });
      terminal.begin(viewer);
      return viewer;
    },
  };
}

test('a shell whose owner is away goes on, however little of it somebody who watches takes', () => {
  const { told, print, come } = running();
  print(3 * MIB);
  come('bob', 'observer');

  expect(told.passed).toBe(3 * MIB);
});

test('nobody who watches makes it run ahead of those who work in it', () => {
  const { told, print, come } = running();
  print(3 * MIB);
  come('ann', 'peer');
  const watching = come('bob', 'moderator');
  for (let seen = 0; seen < 3; seen += 1) watching.see(watching.cursor);

  expect(watching.cursor).toBe(3 * MIB);
  expect(told.passed).toBe(MIB);
});

test('what nobody has recorded is kept for the owner who is away, whatever others have seen', () => {
  const { told, print, come } = running();
  print(2 * MIB);
  const watching = come('bob', 'observer');
  for (let seen = 0; seen < 3; seen += 1) watching.see(watching.cursor);

  expect(watching.seen).toBe(2 * MIB);
  expect(told.kept).toBe(0);
});

test('the owner who only watches their own session takes it as who works there', () => {
  const { told, print, come } = running();
  print(2 * MIB);
  const own = come('ann', 'observer');
  for (let seen = 0; seen < 3; seen += 1) own.see(own.cursor);

  expect(told).toEqual({ passed: 2 * MIB, kept: 2 * MIB });
});
