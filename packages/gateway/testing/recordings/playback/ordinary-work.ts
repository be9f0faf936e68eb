/** What people do in terminals, made up but alike: typing, listings, builds, `top` for an hour, editing with a scrolling region. */
import type { Happening } from './build-recording.ts';

/** Small and repeatable. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 0x1_0000_0000;
  };
}

const WORDS =
  'alpha bravo cargo delta engine filter gateway harbour index junction kernel lantern metric notary orbit'.split(' ');

export interface WorkOptions {
  seed?: number;
  /** How long all of it takes. */
  durationMs: number;
  /** Printed altogether, about. */
  bytes: number;
  cols?: number;
  rows?: number;
}

export function* ordinaryWork({
  seed = 1,
  durationMs,
  bytes,
  cols = 120,
  rows = 36,
}: WorkOptions): Generator<Happening> {
  const random = seededRandom(seed);
  const word = () => WORDS[Math.floor(random() * WORDS.length)] ?? 'word';
  let ms = 0;
  let printed = 0;
  yield { ms, type: 'size', cols, rows };
  const output = (text: string, afterMs: number): Happening => {
    ms = Math.min(durationMs, ms + Math.round(afterMs));
    printed += Buffer.byteLength(text);
    return { ms, type: 'output', text };
  };
  const prompt = '\x1b[32mubuntu@edge\x1b[0m:\x1b[34m~/work\x1b[0m$ ';
  function* typed(command: string): Generator<Happening> {
    for (const key of command) yield output(key, 60 + random() * 120);
    yield output('\r\n', 200);
  }
  yield output(prompt, 20);
  while (printed < bytes && ms < durationMs) {
    // Time goes along with what is printed.
    const behind = (printed / bytes) * durationMs - ms;
    const slow = Math.max(0, behind) / 40;
    const task = random();
    if (task < 0.3) {
      yield* typed(`ls -la ${word()}`);
      const rowsOut = Array.from(
        { length: 20 },
        (_, n) => `-rw-r--r-- 1 root root ${n * 37} ${word()}-${word()}.ts\r\n`,
      );
      yield output(rowsOut.join(''), 30);
    } else if (task < 0.75) {
      yield* typed(`make ${word()}`);
      for (let step = 0; step < 30; step += 1) {
        const lines = Array.from(
          { length: 40 },
          () =>
            `\x1b[90m[${Math.floor(random() * 1e6)}]\x1b[0m \x1b[33mCC\x1b[0m src/${word()}/${word()}-${Math.floor(random() * 1e4)}.o \x1b[32mdone\x1b[0m\r\n`,
        );
        yield output(lines.join(''), 20 + slow);
      }
    } else if (task < 0.9) yield* top();
    else yield* editing();
    yield output(prompt, 30 + slow);
  }
  yield { ms: durationMs, type: 'end', cause: 'exited', message: 'the shell exited' };

  function* top(): Generator<Happening> {
    yield* typed('top');
    yield output('\x1b[?1049h\x1b[2J', 10);
    for (let refresh = 0; refresh < 10; refresh += 1) {
      const screen = Array.from({ length: rows - 3 }, (_, n) =>
        `\x1b[${n + 3};1H${1000 + n} root 20 0 ${Math.floor(random() * 1e6)} ${(random() * 100).toFixed(1)} ${word()}\x1b[K`.padEnd(
          40,
        ),
      );
      yield output(`\x1b[H\x1b[7mtop - load ${random().toFixed(2)}\x1b[0m\x1b[K${screen.join('')}`, 3_000);
    }
    yield output('\x1b[?1049l', 100);
  }

  function* editing(): Generator<Happening> {
    yield* typed(`vim ${word()}.ts`);
    yield output(`\x1b[?1049h\x1b[1;${rows - 1}r\x1b[2J\x1b[H`, 20);
    for (let line = 0; line < rows - 1; line += 1)
      yield output(`\x1b[${line + 1};1H\x1b[35mconst\x1b[0m ${word()} = ${line};`, 2);
    for (let step = 0; step < 20; step += 1) {
      yield output(`\x1b[${rows - 1};1H\n\x1b[${rows - 1};1H\x1b[K// ${word()} ${word()} é 漢 ${step}`, 300);
      yield output(`\x1b[${rows};1H\x1b[7m-- INSERT -- ${step}\x1b[0m\x1b[K\x1b[5;10H`, 50);
    }
    yield output('\x1b[r\x1b[?1049l', 100);
  }
}
