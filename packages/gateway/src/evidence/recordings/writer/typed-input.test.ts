import { expect, test } from 'vitest';
import { type Typed, TypedInput } from './typed-input.ts';

const text = (typed: readonly Typed[]) => typed.map(({ bytes }) => String(bytes)).join('');
const bytes = (given: string) => Buffer.from(given);

/** Each key, and what the terminal prints for it. */
function kept(exchange: readonly [typed: string, printed: string][]): string {
  const input = new TypedInput();
  const all: Typed[] = [];
  exchange.forEach(([typed, printed], turn) => {
    input.typed(bytes(typed), turn * 100);
    all.push(...input.heard(bytes(printed), turn * 100 + 50));
  });
  return text(all);
}

test('keys that come back at once are kept, whatever colours are around them', () => {
  const keys = [...'whoami'].map((key): [string, string] => [key, `\u001b[1m${key}\u001b(B\u001b[0m`]);

  expect(kept([...keys, ['\r', '\r\nroot\r\n$ ']])).toBe('whoami\r');
});

test('a command that is typed faster than it comes back, or pasted, is kept', () => {
  expect(
    kept([
      ['ls -l', ''],
      ['\r', 'ls -l\r\ntotal 0\r\n'],
    ]),
  ).toBe('ls -l\r');
  expect(
    kept([
      ['\u001b[200~id -u\u001b[201~', '\u001b[7mid -u\u001b[27m'],
      ['\n', '\r\n'],
    ]),
  ).toBe('id -u\n');
});

test('what is rubbed out is kept as that, and keys that show nothing of themselves are passed over', () => {
  expect(
    kept([
      ['x', 'x'],
      ['\u007f', '\b \b'],
      ['y', 'y'],
    ]),
  ).toBe('x\u007fy');
  expect(
    kept([
      ['\u001b[A', 'id'],
      ['\r', '\r\n'],
      ['cd /e', 'cd /e'],
      ['\t', 'tc/'],
      ['\u0003', '^C\r\n'],
    ]),
  ).toBe('\rcd /e');
});

test.each([
  ['is followed by a new line', '\r\nwelcome\r\n'],
  ['is shown as stars', '*******\r\n'],
  ['begins like what is printed next', 'hunting is not allowed\r\n'],
  ['is never answered', ''],
])('a password that %s is not kept, nor shown to be one later', (_, answer) => {
  for (const pieces of [['hunter2\r'], [...'hunter2\r']]) {
    const input = new TypedInput();
    for (const piece of pieces) input.typed(bytes(piece), 0);
    expect(text(input.heard(bytes(answer), 10))).toBe('');
    expect(text(input.heard(bytes('hunter2'), 20_000))).toBe('');
  }
});

test('while the terminal says that it hides what is typed, nothing is kept even if it seems to come back', () => {
  const input = new TypedInput();
  input.typed(bytes('hun'), 0);
  input.echo(false);
  input.typed(bytes('ter2\r'), 100);
  expect(text(input.heard(bytes('hunter2\r\n'), 200))).toBe('');
  input.echo(true);
  input.typed(bytes('id\r'), 300);

  expect(text(input.heard(bytes('id\r\n'), 400))).toBe('id\r');
});

test('nothing that waits fills the memory', () => {
  const input = new TypedInput();
  input.typed(Buffer.alloc(1_000_000, 'x'), 0);
  expect(input.isWaiting).toBe(false);
  for (let count = 0; count < 10_000; count++) input.typed(Buffer.alloc(1000, 'x'), 0);
  input.settled(2_000);

  expect(input.isWaiting).toBe(false);
});
