import { expect, test } from 'vitest';
import { createEscapes } from './escapes.ts';

/** What the shell is given of these pieces, with `<end>` and `<help>` where they were heard. */
function read(...pieces: string[]): string {
  const heard: string[] = [];
  const escapes = createEscapes({ end: () => heard.push('<end>'), help: () => heard.push('<help>') });
  const passed = pieces.map((piece) => {
    const shell = Buffer.from(escapes.read(Buffer.from(piece))).toString();
    return `${shell}${heard.splice(0).join('')}`;
  });
  return passed.join('');
}

test.each([
  ['at the very beginning', ['~.'], '<end>'],
  ['behind a line, in pieces', ['ls\r', '~', '.'], 'ls\r<end>'],
  ['nothing behind the end is passed', ['ls\r~.rm\r'], 'ls\r<end>'],
  ['in the middle of a line it is two letters', ['cd ~.\r'], 'cd ~.\r'],
  ['help, and the line begins still', ['~?', '~.'], '<help><end>'],
  ['two are one', ['~~'], '~'],
  ['the second of two begins nothing', ['~~.'], '~.'],
  ['any other letter is passed with its tilde', ['~/bin\r'], '~/bin\r'],
  ['a line of a tilde alone', ['~\r~.'], '~\r<end>'],
  ['behind a line feed, as pastes have it', ['a\n~.'], 'a\n<end>'],
])('%s', (_, pieces, told) => {
  expect(read(...pieces)).toBe(told);
});

test('bytes that are no text are passed as they are', () => {
  const all = Uint8Array.from({ length: 256 }, (_, byte) => 255 - byte);
  const escapes = createEscapes({ end() {}, help() {} });

  expect(escapes.read(all)).toEqual(all);
});
