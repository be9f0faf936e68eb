import { guardTerminal } from '@gatehouse/contract/sessions/guard-terminal';
import headless from '@xterm/headless';
import { expect, onTestFinished, test } from 'vitest';
import { freshTerminal, play, screenOf } from '../../../testing/sessions/screens/same-screen.ts';
import { coreOf } from './screen-core.ts';

const BYTES = 64 * 1024;
/** A line of text touches about one cell a byte, a line feed as many as a line has. */
const MAX_PER_BYTE = 400;
/** What may be done before anything is printed. */
const AT_ONCE = 9 * 1024 * 1024;

interface CountedLine {
  setCell(index: number, cell: unknown): void;
  setCellFromCodepoint(index: number, code: number, width: number, look: unknown): void;
}

interface CountedRows {
  get(index: number): CountedLine;
  splice(start: number, count: number, ...rows: CountedLine[]): void;
}

/** Cells written and rows moved, wherever they are. Counted in millions, and so with as little around it as can be. */
function countWork(terminal: headless.Terminal): { count(): number; stop(): void } {
  let count = 0;
  const { lines } = (terminal as unknown as { _core: { buffers: { normal: { lines: CountedRows } } } })._core.buffers
    .normal;
  const line = Object.getPrototypeOf(lines.get(0)) as CountedLine;
  const rows = Object.getPrototypeOf(lines) as CountedRows;
  const { setCell, setCellFromCodepoint } = line;
  const { splice } = rows;
  line.setCell = function (index, cell) {
    count += 1;
    setCell.call(this, index, cell);
  };
  line.setCellFromCodepoint = function (index, code, width, look) {
    count += 1;
    setCellFromCodepoint.call(this, index, code, width, look);
  };
  rows.splice = function (...given) {
    count += terminal.rows;
    splice.apply(this, given);
  };
  const stop = () => {
    Object.assign(line, { setCell, setCellFromCodepoint });
    rows.splice = splice;
  };
  onTestFinished(stop);
  return { count: () => count, stop };
}

const filled = (unit: string) => unit.repeat(Math.ceil(BYTES / unit.length));

test.each([
  ['lines inserted', '\x1b[5000L'],
  ['lines inserted, a screen of them', '\x1b[60L'],
  ['lines deleted', '\x1b[H\x1b[60M'],
  ['scrolled up', '\x1b[5000S'],
  ['scrolled down', '\x1b[5000T'],
  ['filled with E', '\x1b#8'],
  ['shifted left', '\x1b[2 @'],
  ['shifted right', '\x1b[2 A'],
  ['columns inserted', "\x1b[2'}"],
  ['columns deleted', "\x1b[2'~"],
  ['erased', 'x\x1b[2J'],
  ['erased where it is not protected', '\x1b[?2J'],
  ['reset', '\x1bc'],
  ['changed between screens', '\x1b[?47h\x1b[?47l'],
  ['repeated', 'a\x1b[5000b'],
  ['repeated with its accents', `e${'\u0301'.repeat(40)}\x1b[5000b`],
])('64 KB of being %s touch no more than a few hundred cells a byte', async (_, unit) => {
  for (const [cols, rows] of [
    [200, 60],
    [500, 200],
  ] as const) {
    const terminal = freshTerminal(cols, rows);
    const { count, stop } = countWork(terminal);
    await play(terminal, filled(unit));
    expect(count()).toBeLessThan(BYTES * MAX_PER_BYTE + AT_ONCE);
    stop();
    await play(terminal, '\x18\x1b[r\x1b[H\x1b[Kstill here');
    expect(terminal.buffer.active.getLine(terminal.buffer.active.baseY)?.translateToString(true)).toBe('still here');
    terminal.dispose();
  }
});

test('letters pushed along a very long line touch no more than a few hundred cells a byte', async () => {
  const terminal = freshTerminal(1_000, 60);
  const { count } = countWork(terminal);

  await play(terminal, `\x1b[4h${filled(`\x1b[H${'x'.repeat(500)}`)}`);

  expect(count()).toBeLessThan(BYTES * MAX_PER_BYTE + AT_ONCE);
  expect(terminal.modes.insertMode).toBe(true);
});

test('however the same output is cut, the same is passed over', async () => {
  const output = Buffer.from(`${filled('\x1b[60Lab\x1b[2 @\x1b#8c\x1b[30S')}after`);
  const [whole, cut] = [freshTerminal(200, 60), freshTerminal(200, 60)];

  await play(whole, output);
  for (let at = 0; at < output.length; at += 777) await play(cut, output.subarray(at, at + 777));

  expect(screenOf(cut)).toEqual(screenOf(whole));
});

test('a program that clears the largest screen for a line of text, all day long, is played as it is', async () => {
  const terminal = freshTerminal(640, 180);
  for (let second = 0; second < 3_000; second += 1)
    await play(terminal, `\x1b[H\x1b[2J\x1b[3JMon Nov 16 06:52:35 UTC 2026\r\n${second}\r\n\x1b[5;9H*`);

  await play(terminal, '\x1b[2J');
  expect(terminal.buffer.active.getLine(4)?.translateToString(true)).toBe('');
});

test('a line scrolled by one, either way, is never passed over', async () => {
  const terminal = freshTerminal(200, 60);
  await play(terminal, filled('\x1b#8'));

  await play(terminal, `\x1b[H${'\x1b[L\x1b[M\x1b[S\x1b[T'.repeat(2_000)}\x1b[2J\x1b[Htop\x1b[L`);

  expect([0, 1].map((row) => terminal.buffer.active.getLine(row)?.translateToString(true))).toEqual(['', 'top']);
});

test('rows erased at once are as rows erased one by one: their colour, and nothing of what stood there', async () => {
  const terminal = freshTerminal(40, 5);
  const text = '\x1b[1;31;4:3m漢e\u0301\x1b]8;;http://example.com\x07link\x1b]8;;\x07'.repeat(20);
  for (const how of ['\x1b[2J', '\x1b[H\x1b[J', '\x1b[5;40H\x1b[1J']) {
    await play(terminal, `\x1b[H${text}\x1b[0;44m${how}`);
    const erased = screenOf(terminal) as { normal: string[] };
    await play(
      terminal,
      `\x1b[0m\x1b[H${text}\x1b[0;44m${[1, 2, 3, 4, 5].map((row) => `\x1b[${row}H\x1b[2K`).join('')}`,
    );
    expect(erased.normal).toEqual((screenOf(terminal) as { normal: string[] }).normal);
  }
});

test('links are followed on so many rows, and no more', async () => {
  const terminal = freshTerminal(80, 24, 5_000);
  const { active } = (terminal as unknown as { _core: { buffers: { active: { markers: unknown[] } } } })._core.buffers;

  await play(terminal, '\x1b]8;;http://example.com\x07x\x1b]8;;\x07\r\n'.repeat(3_000));
  expect(active.markers.length).toBeLessThan(1_010);
  await play(terminal, `\x1b]8;;http://example.com\x07${'x\r\n'.repeat(3_000)}`);
  expect(active.markers.length).toBeLessThan(1_010);
});

test('a terminal that becomes narrow breaks no more rows than it keeps, and shows what any would', async () => {
  const plain = new headless.Terminal({ cols: 1_000, rows: 50, scrollback: 1_000, allowProposedApi: true });
  const guarded = freshTerminal(1_000, 50);
  const rowsOf = ({ buffer: { active } }: headless.Terminal) =>
    Array.from({ length: active.length }, (_, row) => active.getLine(row)?.translateToString(true));
  const text = Array.from({ length: 1_200 }, (_, line) => `${line}:${'x'.repeat(line % 3 === 0 ? 900 : 9)}`).join(
    '\r\n',
  );
  for (const terminal of [plain, guarded]) await play(terminal, `${text}\r\n$ `);

  for (const cols of [200, 90, 300, 40, 1_000, 20]) {
    plain.resize(cols, 50);
    guarded.resize(cols, 50);
    expect(rowsOf(guarded)).toEqual(rowsOf(plain));
    expect(guarded.buffer.active.cursorY).toBe(plain.buffer.active.cursorY);
  }

  const wide = freshTerminal(1_000, 500);
  await play(wide, `${'x'.repeat(1_000)}\r\n`.repeat(1_600));
  let made = 0;
  const { normal } = (wide as unknown as { _core: { buffers: { normal: { getBlankLine(look: object): object } } } })
    ._core.buffers;
  const blank = normal.getBlankLine.bind(normal);
  normal.getBlankLine = (look) => {
    made += 1;
    return blank(look);
  };
  wide.resize(2, 500);
  expect(made).toBeLessThan(10_000);
  wide.resize(1_000, 500);
  await play(wide, '\x1b[H\x1b[2Jstill here');
  expect(wide.buffer.active.getLine(wide.buffer.active.baseY)?.translateToString(true)).toBe('still here');
});

test.each(['\x1b]2;', '\x1b]8;;', '\x1b]4;', '\x1bP$q'])(
  'eight megabytes of %j that never end are not kept, and nothing comes of them when they do',
  async (begins) => {
    const terminal = freshTerminal(80, 24);
    const parser = (terminal as unknown as { _core: { _inputHandler: { _parser: Record<string, Named> } } })._core
      ._inputHandler._parser;
    const kept = () =>
      [parser._oscParser, parser._dcsParser]
        .flatMap((each) => Object.values(each?._handlers ?? {}).flat())
        .reduce((sum, { _data: data }) => sum + (data?.length ?? 0), 0);
    await play(terminal, `\x1b]2;mine\x07${begins}`);
    for (let at = 0; at < 128; at += 1) {
      await play(terminal, Buffer.alloc(64 * 1024, 'x'));
      expect(kept()).toBeLessThan(200_000);
    }

    await play(terminal, '\x1b\\\x1b]2;later\x07still here');

    expect(coreOf(terminal)._inputHandler._windowTitle).toBe('later');
    expect(terminal.buffer.active.getLine(0)?.translateToString(true)).toBe('still here');
  },
);

interface Named {
  _handlers: Record<string, { _data?: string }[]>;
}

test('a character keeps so many accents and a terminal so long a title, and no more', async () => {
  const terminal = freshTerminal(80, 24);
  const { _core: core } = terminal as unknown as { _core: { _inputHandler: Record<string, string> } };
  const cell = () => terminal.buffer.active.getLine(0)?.getCell(0)?.getChars().length;

  await play(terminal, `\x1b]0;mine\x07\x1b[He${'\u0301'.repeat(5)}`);
  expect(cell()).toBe(6);
  await play(terminal, `${'\u0301'.repeat(100_000)}z`);
  for (const which of [0, 1, 2]) await play(terminal, `\x1b]${which};${'t'.repeat(100_000)}\x07`);

  expect(cell()).toBeLessThan(100);
  expect(core._inputHandler._windowTitle).toBe('mine');
  expect(core._inputHandler._iconName).toBe('mine');
  expect(terminal.buffer.active.getLine(0)?.translateToString(true)).toMatch(/z$/);
});

const LINK = '\x1b]8;;http://example.com\x07x\x1b]8;;\x07';
const ON_SCREEN = Array.from({ length: 50 }, (_, row) => `\x1b[${row + 10}H${LINK.repeat(19)}`).join('');
const SCROLLED_OUT = `${LINK}\r\n`.repeat(950) + '\r\n'.repeat(60);

test.each([
  ['a line feed above them', `${ON_SCREEN}\x1b[1;3r\x1b[3H`, '\n'],
  ['scrolling up', SCROLLED_OUT, '\x1b[S'],
  ['scrolling down', SCROLLED_OUT, '\x1b[T'],
  ['a line inserted', `${SCROLLED_OUT}\x1b[2H`, '\x1b[L'],
  ['a line deleted', `${SCROLLED_OUT}\x1b[2H`, '\x1b[M'],
])('links are told of %s as often as was earned, and are let go of then', async (_, before, unit) => {
  const terminal = freshTerminal(200, 60);
  const { active } = (terminal as unknown as { _core: { buffers: { active: LinkedBuffer } } })._core.buffers;
  await play(terminal, `${'\r\n'.repeat(1_100)}${before}`);
  expect(active.markers.length).toBe(950);
  let told = 0;
  for (const event of [active.lines.onInsert, active.lines.onDelete, active.lines.onTrim])
    event(() => {
      told += active.markers.length;
    });

  await play(terminal, `${filled(unit)}\x1b[r\x1b[H\x1b[Kstill here`);

  expect(told).toBeLessThan(2 * 1024 * 1024);
  expect(active.markers.length).toBe(0);
  expect(terminal.buffer.active.getLine(terminal.buffer.active.baseY)?.translateToString(true)).toBe('still here');
});

interface LinkedBuffer {
  markers: unknown[];
  lines: Record<'onInsert' | 'onDelete' | 'onTrim', (listener: () => void) => unknown>;
}

test('what we draw ourselves is drawn, however much a terminal was made to do before', async () => {
  const terminal = new headless.Terminal({ cols: 1_000, rows: 500, allowProposedApi: true, logLevel: 'off' });
  const guard = guardTerminal(terminal);
  const top = () => terminal.buffer.active.getLine(0)?.translateToString(true);

  await play(terminal, `${'\x1b#8'.repeat(40)}\x1b[H\x1b[Kold\x1bc`);
  expect(top()).toBe('old');
  guard.trust();
  await play(terminal, '\x1bcnew');
  expect(top()).toBe('new');
});
