import { PIECE } from '@gatehouse/contract/sessions/write-in-pieces';
import { Terminal } from '@xterm/xterm';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createPlayerTerminal } from '../../evidence/recordings/screen/player-terminal.ts';
import { createTerminalScreen } from '../../sessions/terminal/screen/terminal-screen.ts';
import { readSettings } from './terminal-settings.ts';

const nothing = () => {};
const TERMINALS = {
  'of a session': () => {
    const { write } = createTerminalScreen(readSettings(undefined, 100), 'input', {
      onType: nothing,
      onBinary: nothing,
      onPaste: nothing,
      onTitle: nothing,
      onFolder: nothing,
      onBell: nothing,
      onClipboard: nothing,
      onLink: nothing,
      onFound: nothing,
      onMeasured: nothing,
      onKey: () => false,
    });
    return (text: string) => new Promise<void>((drawn) => write(text, drawn));
  },
  'of the player': () => {
    const on = { onSelect: nothing, onSize: nothing, onFailed: nothing };
    const player = createPlayerTerminal({ label: 'screen', screenReader: false, ...on });
    return (text: string) => new Promise<void>((drawn) => player.write(btoa(text), drawn));
  },
};

/** The cursor stands on the last cell, and all up to it is erased: a fault of xterm's, which would then read nothing more. */
const HOSTILE = {
  'erases up to the last cell': '\u001b[24;80Hx\u001b[1J',
  'erases up to the last cell, but what is protected': '\u001b[24;80Hx\u001b[?1J',
  'repeats itself for ever': 'x\u001b[2147483647b',
};

test.each(
  Object.entries(TERMINALS).flatMap(([name, make]) =>
    Object.entries(HOSTILE).map(([what, output]) => ({ name, make, what, output })),
  ),
)('output that $what does not stop the terminal $name', async ({ make, output }) => {
  const write = make();
  await write(output);
  await expect(write('and goes on')).resolves.toBe(undefined);
});

test.each(Object.entries(TERMINALS))(
  'the terminal %s is given little at a time, so that its page goes on',
  async (_, make) => {
    const given = vi.spyOn(Terminal.prototype, 'write');
    onTestFinished(() => given.mockRestore());

    await make()('\u001b[24L'.repeat(13_000));

    expect(given.mock.calls.length).toBeGreaterThan(1);
    expect(Math.max(...given.mock.calls.map(([data]) => data.length))).toBeLessThanOrEqual(PIECE);
  },
);
