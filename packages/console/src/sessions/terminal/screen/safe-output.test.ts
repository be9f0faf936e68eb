import { expect, test } from 'vitest';
import { needsWarning, readPaste } from './paste.ts';
import { clipboardText, isReply, safeLink, safeTitle } from './safe-output.ts';

test('a title keeps its words and loses what could deceive', () => {
  expect(safeTitle('vim /etc/hosts')).toBe('vim /etc/hosts');
  expect(safeTitle('a\u202Egpj.exe\u0007\u001b[31m')).toBe('agpj.exe[31m');
  expect(safeTitle('x'.repeat(500))).toHaveLength(80);
});

test('a program may offer text for the clipboard, and never read it', () => {
  expect(clipboardText(`c;${btoa('hello')}`)).toBe('hello');
  expect(clipboardText(`;${btoa('hello')}`)).toBe('hello');
  expect(clipboardText('c;?')).toBe(undefined);
  expect(clipboardText('c;')).toBe(undefined);
  expect(clipboardText('c;%%%')).toBe(undefined);
  expect(clipboardText(`c;${btoa('\u00ff\u00fe')}`)).toBe(undefined);
  expect(clipboardText(`c;${'A'.repeat(400_000)}`)).toBe(undefined);
});

test.each([
  '\u001b[?1;2c',
  '\u001b[>0;276;0c',
  '\u001b[0n',
  '\u001b[24;80R',
  '\u001b[?2026;2$y',
  '\u001bP1$r0m\u001b\\',
  '\u001b]11;rgb:0f0f/0e0e/1414\u001b\\',
])('what a terminal answers by itself is known as such: %j', (data) => expect(isReply(data)).toBe(true));

test.each([
  'a',
  '\r',
  '\u001b',
  '\u001b[A',
  '\u001bOP',
  '\u001b[15~',
  '\u001b[I',
  '\u001bf',
  '\u001b[200~ls\u001b[201~',
  '\u0003',
])('what a person types is not: %j', (data) => expect(isReply(data)).toBe(false));

test('only addresses of the web are followed', () => {
  expect(safeLink('https://example.com/a?b')).toBe('https://example.com/a?b');
  for (const bad of ['javascript:alert(1)', 'file:///etc/passwd', 'data:text/html,x', 'ssh://a', 'no'])
    expect(safeLink(bad)).toBe(undefined);
});

test('more than a line is shown before it is pasted; a line with its end is one line', () => {
  expect(needsWarning(readPaste('ls -l'))).toBe(false);
  expect(needsWarning(readPaste('ls -l\n'))).toBe(false);
  expect(readPaste('one\r\ntwo\n')).toEqual({ text: 'one\r\ntwo\n', lines: 2, hadControls: false });
  expect(needsWarning(readPaste('one\ntwo'))).toBe(true);
});

test('an escape that would end a bracketed paste is taken out, and said', () => {
  const paste = readPaste('echo\u001b[201~ rm -rf\t/');

  expect(paste).toEqual({ text: 'echo[201~ rm -rf\t/', lines: 1, hadControls: true });
  expect(needsWarning(paste)).toBe(true);
});
