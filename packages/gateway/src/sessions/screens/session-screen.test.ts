import { expect, test } from 'vitest';
import { freshTerminal, play } from '../../../testing/sessions/screens/same-screen.ts';
import { coreOf, newCell } from './screen-core.ts';
import { serializeScreen } from './serialize-screen.ts';
import { SessionScreen } from './session-screen.ts';

async function drawn(text: string, size = { cols: 20, rows: 4 }) {
  const screen = new SessionScreen(size, 0);
  await screen.write(Buffer.from(text));
  return screen.draw();
}

test('what is on the screen is drawn with its colours, and what has scrolled away is not', async () => {
  expect(await drawn('one\r\n\x1b[1;31mtwo\x1b[0m\r\nthree\r\nfour\r\nfive')).toEqual({
    cols: 20,
    rows: 4,
    ansi: '\x1b[0;1;38;5;1mtwo\x1b[0m\r\nthree\r\nfour\r\nfive',
    cursor: { column: 4, row: 3 },
  });
  expect((await drawn('\x1b[48;2;1;2;3m漢')).ansi).toContain('\x1b[0;48;2;1;2;3m漢');
});

test('what comes out holds no control sequence but colours, whatever goes in', async () => {
  const hostile =
    '\x1b]0;title\x07\x1b]52;c;aGk=\x07\x1b[6n\x1b[c\x1b]8;;javascript:alert(1)\x07link\x1b]8;;\x07\x1bP+q\x1b\\\x1b[?1049hA\x1b[999999999bB\x07';
  const { ansi } = await drawn(hostile);

  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters terminals are steered with
  expect(ansi.replaceAll(/\x1b\[[0-9;]*m/g, '').replaceAll('\r\n', '')).toMatch(/^[^\x00-\x1f\x7f]*$/);
  expect(ansi).toContain('AB');
});

/** What is sent to somebody who comes late. */
async function pictureOf(text: string, size = { cols: 200, rows: 60 }) {
  const screen = new SessionScreen(size, 1_000);
  await screen.write(Buffer.from(text));
  const picture = screen.picture();
  screen.dispose();
  return picture;
}

const EVERY_SECOND = Array.from({ length: 60 }, (_, row) =>
  Array.from({ length: 100 }, (__, pair) => `\x1b[${row + 1};${2 * pair + 1}Hy`).join(''),
).join('');
const linked = (address: string) => `\x1b]8;;${address}\x07${'x'.repeat(12_000)}\x1b]8;;\x07${EVERY_SECOND}end`;

test.each([100, 2_000, 100_000])(
  'a picture stays small, with a link of %i characters at every second cell',
  async (length) => {
    const picture = await pictureOf(linked(`https://example.com/${'a'.repeat(length)}`));

    expect(Buffer.byteLength(JSON.stringify(picture))).toBeLessThan(2.5 * 1024 * 1024);
    expect(picture?.ansi).toContain('end');
    expect(picture?.ansi.includes('example.com')).toBe(length === 100);
  },
);

test('a link too long to be one is text', async () => {
  const picture = await pictureOf(`\x1b]8;;https://example.com/${'a'.repeat(3_000)}\x07text\x1b]8;;\x07`);

  expect(picture?.ansi).toContain('text');
  expect(picture?.ansi).not.toContain('example.com');
});

test('a title of a megabyte and a cell of a hundred thousand accents are drawn by their beginning', async () => {
  const title = `\x1b]2;${'t'.repeat(1_000_000)}\x07`;
  const accents = `e${'\u0301'.repeat(100_000)}`;

  expect((await pictureOf(`${title}${accents}z`))?.ansi.length).toBeLessThan(4_000);
  expect((await drawn(`${accents}z`)).ansi.length).toBeLessThan(200);
});

test('a screen of which every cell has a look of its own is drawn without what has scrolled out, or not at all; rows lose their colours', async () => {
  const cells = (count: number) =>
    Array.from({ length: count }, (_, at) => `\x1b[38;2;${at & 255};${(at >> 8) & 255};7mx`).join('');

  const without = await pictureOf(`above\r\n${cells(90_000)}below`);
  expect(without?.ansi).toContain('below');
  expect(without?.ansi).not.toContain('above');
  const size = { cols: 1_000, rows: 90 };
  expect(await pictureOf(cells(90_000), size)).toBeUndefined();
  expect((await drawn(cells(90_000), size)).ansi).toMatch(/^x{1000}\r\n/);
});

test.each(['', 'x', '\x1b[44m\x1b[2J', '漢\x1b[31;44mab'])(
  'reading a screen makes no objects for its cells, which are a million on the largest: %j',
  async (text) => {
    const terminal = freshTerminal(300, 50, 1_000);
    await play(terminal, `${text.repeat(200)}${'\r\n'.repeat(500)}${text.repeat(200)}`);
    let made = 0;
    const counted = () => {
      made += 1;
      return newCell(terminal);
    };

    serializeScreen({
      core: coreOf(terminal),
      cols: 300,
      rows: 50,
      noted: { charsets: new Map(), colours: new Map() },
      scrollback: 1_000,
      newCell: counted,
    });

    expect(made).toBeLessThan(3 * terminal.buffer.active.length);
    terminal.dispose();
  },
);
