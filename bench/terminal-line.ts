/** One terminal as terminal.bench.ts uses it, directly over `ssh` or through a gateway: typed into, and read as fast as it comes. */
import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { FRAME_HEADER_BYTES, INPUT_FRAME, OUTPUT_FRAME } from '@gatehouse/contract/sessions/terminal-frames';
import type { Tab } from '@gatehouse/gateway/testing/sessions/terminal-client';
import { leanSocket } from './lean-socket.ts';

/** As the console does it. */
const SEEN_EVERY_BYTES = 128 * 1024;
const SEEN_EVERY_MS = 40;
const TAIL_CHARACTERS = 400;
/** Said by the shell and not by what is typed. */
const READY = 'RDY$ ';
const PREPARE = `stty -ixon; unset PROMPT_COMMAND HISTFILE; export PS1='R''DY$ '\n`;

export interface Line {
  type(text: string): void;
  /** Bytes that came. */
  came(): number;
  /** Resolves with the next bytes. */
  next(): Promise<void>;
  /** Resolves when this stands at the end, or near it. */
  until(words: string): Promise<void>;
  /** Resolves when the shell has ended and the line with it. */
  ended: Promise<void>;
  close(): void;
}

export interface Ssh {
  /** Before the name of the account. */
  args: readonly string[];
  login: string;
}

interface Ends {
  write(text: string): void;
  close(): void;
}

/** Reading costs the same whichever way it came. */
function lineOf(connect: (hear: (bytes: Buffer) => void, end: () => void) => Ends): Line {
  let came = 0;
  let tail = '';
  let wake = () => {};
  const ended = Promise.withResolvers<void>();
  const ends = connect((bytes) => {
    came += bytes.length;
    tail = (tail + bytes.toString('latin1', Math.max(0, bytes.length - TAIL_CHARACTERS))).slice(-TAIL_CHARACTERS);
    wake();
  }, ended.resolve);
  const next = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  return {
    type: (text) => ends.write(text),
    came: () => came,
    next,
    async until(words) {
      while (!tail.includes(words)) await next();
      tail = '';
    },
    ended: ended.promise,
    close: () => ends.close(),
  };
}

export function sshLine({ args, login }: Ssh): Line {
  return lineOf((hear, end) => {
    const child = spawn('ssh', ['-tt', ...args, `${login}@127.0.0.1`], { stdio: ['pipe', 'pipe', 'ignore'] });
    child.stdout.on('data', hear);
    child.once('exit', end);
    return { write: (text) => void child.stdin.write(text), close: () => void child.kill() };
  });
}

export interface GatewayLine extends Line {
  recorded(): boolean;
}

export function gatewayLine(tab: Tab, server: string, login: string): GatewayLine {
  let recorded = false;
  const line = lineOf((hear, end) => {
    const tell = (message: object) => socket.send(JSON.stringify(message));
    const head = Buffer.alloc(FRAME_HEADER_BYTES);
    let typed = 0;
    let [drawn, seen] = [0, 0];
    let timer: NodeJS.Timeout | undefined;
    const sendSeen = () => {
      clearTimeout(timer);
      timer = undefined;
      seen = drawn;
      tell({ type: 'seen', offset: seen });
    };
    const socket = leanSocket(tab.url, tab.headers, {
      open() {
        tell({ type: 'hello', token: tab.token });
        const writer = randomBytes(8).toString('hex');
        tell({ type: 'open', server, login, cols: 80, rows: 24, writer, request: randomUUID() });
      },
      binary(part, at) {
        const inHead = part.subarray(0, Math.max(0, FRAME_HEADER_BYTES - at));
        head.set(inHead, Math.min(at, FRAME_HEADER_BYTES));
        const bytes = part.subarray(inHead.length);
        if (at + part.length < FRAME_HEADER_BYTES || head[0] !== OUTPUT_FRAME || bytes.length === 0) return;
        drawn = Number(head.readBigUInt64BE(1)) + at + part.length - FRAME_HEADER_BYTES;
        if (drawn - seen >= SEEN_EVERY_BYTES) sendSeen();
        else timer ??= setTimeout(sendSeen, SEEN_EVERY_MS);
        hear(bytes);
      },
      text(message) {
        const reply = JSON.parse(message) as { type: string; recorded?: boolean; message?: string };
        if (reply.type === 'state') recorded = reply.recorded ?? false;
        if (reply.type === 'refused') throw new Error(`a terminal was refused: ${reply.message}`);
      },
      close() {
        clearTimeout(timer);
        end();
      },
    });
    return {
      write(text) {
        const frame = Buffer.alloc(FRAME_HEADER_BYTES + text.length);
        frame[0] = INPUT_FRAME;
        frame.writeBigUInt64BE(BigInt(typed), 1);
        frame.write(text, FRAME_HEADER_BYTES, 'latin1');
        typed += text.length;
        socket.send(frame);
      },
      close() {
        tell({ type: 'end' });
        socket.close();
      },
    };
  });
  return { ...line, recorded: () => recorded };
}

/** Version, letter, and at most two bytes of length: see contract/sessions/reference-terminal.ts. */
const MAX_ENVELOPE_BYTES = 9;
const [TYPE_AT, LENGTH_AT] = [5, 7];
const OUTPUT_LETTER = 'r'.charCodeAt(0);

/** The same through the socket of the wire reference. */
export function referenceLine(tab: Tab, server: string, login: string): Line {
  const params = JSON.stringify({ server_id: server, login, term: { w: 80, h: 24 } });
  const query = `access_token=${tab.token}&params=${encodeURIComponent(params)}`;
  return lineOf((hear, end) => {
    const head = Buffer.alloc(MAX_ENVELOPE_BYTES);
    const socket = leanSocket(`${tab.url.replace(/terminal$/, 'connect')}?${query}`, tab.headers, {
      open() {},
      binary(part, at) {
        if (at < head.length) head.set(part.subarray(0, head.length - at), at);
        if (at + part.length <= LENGTH_AT || head[TYPE_AT] !== OUTPUT_LETTER) return;
        const begins = LENGTH_AT + ((head[LENGTH_AT] ?? 0) < 0x80 ? 1 : 2);
        const bytes = part.subarray(Math.max(0, begins - at));
        if (bytes.length > 0) hear(bytes);
      },
      text() {},
      close: end,
    });
    return {
      write(text) {
        if (text.length > 127) throw new RangeError('nobody types that much at once');
        socket.send(Buffer.from(`\n\x011\x12\x01r\x1a${String.fromCharCode(text.length)}${text}`, 'latin1'));
      },
      // These clients cannot end a session: its shell does.
      close() {
        this.write('\x15exit\n');
      },
    };
  });
}

/** Resolves when the shell waits at a prompt that is known. */
export async function atPrompt<L extends Line>(line: L): Promise<L> {
  await line.next();
  line.type(PREPARE);
  await line.until(READY);
  return line;
}

/** Milliseconds until a key is echoed, for each of so many. */
export async function echoes(line: Line, keys: number): Promise<number[]> {
  const took: number[] = [];
  for (let key = 0; key < keys; key += 1) {
    const [before, from] = [line.came(), performance.now()];
    line.type('a');
    while (line.came() === before) await line.next();
    took.push(performance.now() - from);
    // A line that grows wraps, which costs the shell more than an echo.
    if (key % 50 === 49) {
      line.type('\x15');
      await quiet(line);
    }
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
  line.type('\x15');
  await quiet(line);
  return took;
}

/** Megabytes a second of a file that is printed. */
export async function throughput(line: Line, file: string): Promise<number> {
  const [before, from] = [line.came(), performance.now()];
  line.type(`cat ${file}; echo =-=E''ND=-=\n`);
  await line.until('=-=END=-=');
  const seconds = (performance.now() - from) / 1000;
  return (line.came() - before) / 1e6 / seconds;
}

async function quiet(line: Line): Promise<void> {
  for (let before = -1; before !== line.came(); ) {
    before = line.came();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
