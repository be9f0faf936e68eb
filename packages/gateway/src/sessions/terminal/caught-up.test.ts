/** A terminal that another process served before: its people come back sooner than what it has printed. */
import { HELD_BYTES } from '@gatehouse/contract/reach/agents/shell-frames';
import { expect, test } from 'vitest';
import { sessionOptions } from '../../access/session-options.ts';
import { HostedSession } from '../host/hosted-session.ts';
import type { Session } from '../host/session-store.ts';
import type { SessionScreens } from '../screens/session-screens.ts';
import { Terminal } from './terminal.ts';

function resumed(end: number) {
  const nothing = () => {};
  const session = { id: 'one', user: 'ann', size: { cols: 80, rows: 24 }, participants: ['ann'] } as unknown as Session;
  const hosted = new HostedSession({
    ...{ session, options: sessionOptions({ roles: [] }), rules: [], now: () => 0 },
    ...{ onEnd: nothing, onEnter: nothing, onLeave: nothing, onRemove: nothing },
    ...{ onConnected: nothing, onResize: nothing, onFlow: nothing },
  });
  const screens = { printed: nothing } as unknown as SessionScreens;
  const terminal = new Terminal({ hosted, recorder: undefined, couldJoin: async () => [], screens });
  terminal.events.begin({ start: 1_000, end, cols: 80, rows: 24, echo: true, program: '' });
  let isReady = false;
  void terminal.ready.then(() => {
    isReady = true;
  });
  return {
    terminal,
    async isReady() {
      await Promise.resolve();
      return isReady;
    },
  };
}

test('who comes back waits for what they have seen, and goes on there', async () => {
  const { terminal, isReady } = resumed(1_300);
  terminal.events.output(Buffer.alloc(200));
  expect(await isReady()).toBe(false);

  terminal.events.output(Buffer.alloc(100));

  expect(await isReady()).toBe(true);
  expect(terminal.startFor(1_300)).toBe(1_300);
});

test('nobody waits where nothing was printed', async () => {
  expect(await resumed(1_000).isReady()).toBe(true);
});

test('an agent that promises more than any holds is not waited for longer than one that holds much', async () => {
  const { terminal, isReady } = resumed(Number.MAX_SAFE_INTEGER);
  for (let printed = 0; printed < 2 * HELD_BYTES; printed += 64 * 1024) terminal.events.output(Buffer.alloc(64 * 1024));

  expect(await isReady()).toBe(true);
});

test('a shell that ends meanwhile is not waited for', async () => {
  const { terminal, isReady } = resumed(1_300);
  terminal.events.over({ code: 0 });

  expect(await isReady()).toBe(true);
});
