/** What runs in a terminal is told to whoever comes back to it, also when that is nothing. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { startShellWorld } from '../../../testing/sessions/shell-world.ts';
import { connectTerminal, opening, type TerminalClient, tabOf } from '../../../testing/sessions/terminal-client.ts';

const programs = ({ replies }: TerminalClient) =>
  replies.flatMap((reply) => (reply.type === 'program' ? [reply.program] : []));

test('a program that ended while somebody was away is gone for whoever comes back', async () => {
  const world = await startShellWorld();
  onTestFinished(() => world.close());
  const request = opening('edge', 'ubuntu');
  const tab = tabOf(world.gateway.app, world.ann);
  const first = connectTerminal(tab, request);
  const { sid } = await first.state;
  world.fakes.last().run('sleep');
  await vi.waitFor(() => expect(programs(first).at(-1)).toBe('sleep'));

  first.cut();
  await first.closed;
  // Heard by another, so that the gateway knows before the first comes back: nothing changes for it then.
  const other = connectTerminal(tab, { type: 'attach', sid, cols: 80, rows: 24, writer: opening('', '').writer });
  await vi.waitFor(() => expect(programs(other).at(-1)).toBe('sleep'));
  world.fakes.last().run('');
  await vi.waitFor(() => expect(programs(other).at(-1)).toBe(''));
  const again = { type: 'attach', sid, from: first.end(), cols: 80, rows: 24, writer: request.writer } as const;
  const second = connectTerminal(tab, again);
  await second.state;

  await vi.waitFor(() => expect(programs(second).at(-1)).toBe(''));
});

test('one that runs on is told to whoever comes', async () => {
  const world = await startShellWorld();
  onTestFinished(() => world.close());
  const request = opening('edge', 'ubuntu');
  const tab = tabOf(world.gateway.app, world.ann);
  const first = connectTerminal(tab, request);
  const { sid } = await first.state;
  world.fakes.last().run('vim');
  await vi.waitFor(() => expect(programs(first).at(-1)).toBe('vim'));

  const { writer } = opening('edge', 'ubuntu');
  const second = connectTerminal(tab, { type: 'attach', sid, cols: 80, rows: 24, writer });
  await second.state;

  await vi.waitFor(() => expect(programs(second)).toEqual(['vim']));
});
