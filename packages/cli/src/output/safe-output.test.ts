import { expect, test } from 'vitest';
import { SafeOutput } from './safe-output.ts';

const shown = (text: string) => new SafeOutput().push(Buffer.from(text));
const ESC = '\u001b';

test('text, colours, moves and the second screen pass as they are', () => {
  for (const text of [
    'plain text äöü 漢字 🙂\r\n\ttab\b',
    `${ESC}[1;32mgreen${ESC}[0m ${ESC}[38;2;1;2;3mrgb${ESC}[m ${ESC}[4:3mwavy`,
    `${ESC}[H${ESC}[2J${ESC}[10;20H${ESC}[K${ESC}[3A${ESC}[5;10r${ESC}7${ESC}8${ESC}M`,
    `${ESC}[?1049h${ESC}[?25l${ESC}[?25h${ESC}[?1049l${ESC}(0lqk${ESC}(B`,
  ])
    expect(shown(text)).toBe(text);
});

test('nothing that answers, copies, renames, reports or redefines passes, however it is written or cut', () => {
  const acts = [
    `${ESC}[c`,
    `${ESC}[>c`,
    `${ESC}[6n`,
    `${ESC}[?6n`,
    `${ESC}[21t`,
    `${ESC}[14t`,
    `${ESC}[?u`,
    `${ESC}[>1u`,
    `${ESC}[!p`,
    `${ESC}[?2004h`,
    `${ESC}[?1000h`,
    `${ESC}[?1006h`,
    `${ESC}[?1004h`,
    `${ESC}[>4;2m`,
    `${ESC}[5i`,
    `${ESC}Z`,
    `${ESC}c`,
    `${ESC}]52;c;aGVsbG8=\u0007`,
    `${ESC}]0;title${ESC}\\`,
    `${ESC}]8;;https://example.com${ESC}\\`,
    `${ESC}P$q"p${ESC}\\`,
    `${ESC}_apc${ESC}\\`,
    `${ESC}^pm${ESC}\\`,
    `${ESC}ktitle${ESC}\\`,
    '\u009b6n',
    '\u009d52;c;x\u009c',
    '\u0005',
    '\u0007',
    '\u000e',
  ];
  for (const act of acts) {
    expect(shown(`a${act}b`), JSON.stringify(act)).toBe('ab');
    const output = new SafeOutput();
    const cut = [...Buffer.from(`a${act}b`)].map((byte) => output.push(Buffer.of(byte))).join('');
    expect(cut, JSON.stringify(act)).toBe('ab');
  }
});

test('a mode among harmless ones is left out alone, and a sequence without end does not grow', () => {
  expect(shown(`${ESC}[?25;1000;7h`)).toBe(`${ESC}[?25;7h`);
  expect(shown(`${ESC}[${'1;'.repeat(10_000)}mx`)).toMatch(/^[1;]*mx$/);
  expect(shown(`${ESC}]${'x'.repeat(100_000)}`)).toBe('');
});
