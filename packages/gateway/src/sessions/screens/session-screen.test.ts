import { expect, test } from 'vitest';
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
