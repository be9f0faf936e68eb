/** Output as no program prints it, but some program might (without what a terminal restores only by half: charsets and kinds of underline): of a seed, so that what fails can be tried again. */

export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const WORDS = ['a', 'word', 'a longer piece of text ', '漢字', 'ｗ', 'e\u0301', '─│┌', '🙂', '    ', 'x'.repeat(37)];
const SGR = [
  '0',
  '1',
  '2',
  '3',
  '4',
  '5',
  '7',
  '8',
  '9',
  '53',
  '22',
  '24',
  '27',
  '31',
  '97',
  '44',
  '101',
  '38;5;200',
  '48;5;17',
  '38;2;1;2;3',
  '48;2;9;8;7',
  '39',
  '49',
];
const MODES = [
  '?1',
  '?6',
  '?7',
  '?25',
  '?45',
  '?47',
  '?1000',
  '?1002',
  '?1003',
  '?1004',
  '?1006',
  '?1047',
  '?1048',
  '?1049',
  '?2004',
  '4',
  '20',
];
const ESC = ['7', '8', 'D', 'E', 'M', 'H', '=', '>', 'n', 'o', '#8'];
const OSC = [
  '2;title',
  '8;;http://example.com/a',
  '8;id=x;http://example.com/b',
  '8;;',
  '4;1;#123456',
  '104',
  '11;#000000',
  '12;red',
  '112',
];

export function randomOutput(
  next: () => number,
  { cols, rows }: { cols: number; rows: number },
  length: number,
): string {
  const of = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  const number = (most: number) => Math.floor(next() * (most + 2));
  const pieces = [
    () => of(WORDS),
    () => of(WORDS),
    () => of(WORDS),
    () => of(['\r\n', '\n', '\r', '\b', '\t']),
    () => `\x1b[${of(SGR)}m`,
    () => `\x1b[${number(rows)};${number(cols)}H`,
    () => `\x1b[${number(6)}${of(['A', 'B', 'C', 'D', 'G', 'd', 'E', 'F', 'a', 'e', 'I', 'Z'])}`,
    () =>
      `\x1b[${number(3)}${of(['J', 'K', '?J', '?K', 'X', '@', 'P', 'L', 'M', 'S', 'T', 'b', 'g'].filter((final) => !final.startsWith('?')))}`,
    () => `\x1b[?${number(2)}${of(['J', 'K'])}`,
    () => `\x1b[${number(rows)};${number(rows)}r`,
    () => `\x1b[${of(MODES)}${of(['h', 'l'])}`,
    () => `\x1b${of(ESC)}`,
    () => `\x1b]${of(OSC)}\x07`,
    () => of(['\x1b[1"q', '\x1b[0"q', '\x1b[3 q', '\x1b[s', '\x1b[u', '\x1b[!p']),
  ];
  return Array.from({ length }, () => of(pieces)()).join('');
}
