import { Terminal } from '@xterm/xterm';
import { afterEach, expect, test, vi } from 'vitest';
import { makeInert } from './inert.ts';

/** Everything a terminal would say or do because of what it was given. */
function watched(options: { inert: boolean }) {
  const terminal = new Terminal({ allowProposedApi: true, cols: 80, rows: 24 });
  if (options.inert) makeInert(terminal);
  // Even if somebody let it type again.
  terminal.options.disableStdin = false;
  const acts: string[] = [];
  terminal.onData((data) => acts.push(`data ${JSON.stringify(data)}`));
  terminal.onBinary((data) => acts.push(`binary ${JSON.stringify(data)}`));
  terminal.onTitleChange((title) => acts.push(`title ${title}`));
  terminal.onResize(({ cols, rows }) => acts.push(`resize ${cols}x${rows}`));
  const write = (text: string) => new Promise<void>((resolve) => terminal.write(text, resolve));
  const text = () => terminal.buffer.active.getLine(0)?.translateToString(true) ?? '';
  return { terminal, acts, write, text };
}

afterEach(() => vi.restoreAllMocks());

const ANSWERED = [
  '\u001b[c',
  '\u001b[>c',
  '\u001b[5n',
  '\u001b[6n',
  '\u001b[?6n',
  '\u001b[?2026$p',
  '\u001b[4$p',
  '\u001bP$qm\u001b\\',
  '\u001bP$q"p\u001b\\',
];
const HOSTILE = [
  ...ANSWERED,
  '\u001b[=c',
  '\u001b[>q',
  '\u001b[x',
  '\u001b[?u',
  '\u001b[14t',
  '\u001b[18t',
  '\u001b[21t',
  '\u001b[8;50;132t',
  '\u001b[22;0t\u001b[23;0t',
  '\u001b]0;title\u0007',
  '\u001b]1;icon\u0007',
  '\u001b]2;title\u001b\\',
  '\u009d2;title\u009c',
  '\u001b]4;1;?\u0007',
  '\u001b]10;?\u0007\u001b]11;?\u0007\u001b]12;?\u0007',
  `\u001b]52;c;${btoa('rm -rf /')}\u0007`,
  '\u001b]52;c;?\u0007',
  '\u001b]7;file:///etc\u0007',
  '\u001b]9;notify\u0007',
  '\u001b]777;notify;a;b\u0007',
  '\u001b]1337;File=name=YQ==:AAAA\u0007',
  '\u001bP+q544e\u001b\\',
  '\u0005',
  '\u0007\u0007\u0007',
  '\u001bZ',
  '\u001b[?1000h\u001b[?1003h\u001b[?1006h\u001b[?1004h\u001b[?2004h',
  '\u001b[?40h\u001b[?3h',
];

test.each(HOSTILE)('nothing comes back from %j', async (bytes) => {
  const { acts, write, text } = watched({ inert: true });

  await write(`${bytes}seen`);

  expect(acts).toEqual([]);
  expect(text()).toContain('seen');
});

test.each(ANSWERED)('an ordinary terminal does answer %j: the test would notice', async (bytes) => {
  const { acts, write } = watched({ inert: false });

  await write(bytes);

  expect(acts.length).toBeGreaterThan(0);
});

test('cut anywhere, what asks still gets no answer', async () => {
  const { terminal, acts, write } = watched({ inert: true });
  for (const bytes of HOSTILE) {
    for (let at = 0; at <= bytes.length; at += 1) {
      terminal.write(bytes.slice(0, at));
      terminal.write(bytes.slice(at));
      terminal.write('\u0018');
    }
  }
  await write('');

  expect(acts).toEqual([]);
});

test('random bytes never make it speak', async () => {
  const { terminal, acts, write } = watched({ inert: true });
  let seed = 7;
  const random = (most: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % most;
  };
  const pieces = [
    '\u001b[',
    '\u001b]',
    '\u001bP',
    '\u001b\\',
    '\u0007',
    '?',
    '>',
    '$',
    'c',
    'n',
    'q',
    'p',
    't',
    ';',
    '1',
    '52',
    'h',
    'a',
  ];
  for (let round = 0; round < 500; round += 1) {
    const bytes = Array.from({ length: 30 }, () =>
      random(4) === 0 ? String.fromCharCode(random(256)) : pieces[random(pieces.length)],
    );
    terminal.write(bytes.join(''));
  }
  await write('');

  expect(acts.filter((act) => !act.startsWith('resize'))).toEqual([]);
});

test('nothing is rung, written to the clipboard or opened', async () => {
  const open = vi.spyOn(window, 'open').mockImplementation(() => null);
  const { terminal, write } = watched({ inert: true });
  const rung = vi.fn();
  terminal.onBell(rung);

  await write('\u001b]8;;https://evil.example\u0007click\u001b]8;;\u0007');

  expect(open).not.toHaveBeenCalled();
  expect(terminal.buffer.active.getLine(0)?.translateToString(true)).toBe('click');
});

test('mouse reports stay off, and text can be selected; other modes work', async () => {
  const { terminal, write } = watched({ inert: true });

  await write('\u001b[?1002;1006h\u001b[?1049h\u001b[?25l');

  expect(terminal.modes.mouseTrackingMode).toBe('none');
  expect(terminal.buffer.active.type).toBe('alternate');
});

test('a repetition that would hang the page is passed over', async () => {
  const { write, text } = watched({ inert: true });
  const began = performance.now();

  await write('x\u001b[2147483647b\u001b[2147483647I\u001b[999999999S done');

  expect(performance.now() - began).toBeLessThan(10_000);
  expect(text()).toBe('x done');
});
