/**
 * A program that looks at a terminal, as one of its people: what it types goes the way of everybody's, and it sees what they see.
 * kubectl and ssh know nothing of offsets: what the network has taken counts as seen.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { UNTAKEN_BYTES } from '@gatehouse/contract/reach/agents/shell-frames';
import { MAX_INPUT_BYTES, type TerminalReply } from '@gatehouse/contract/sessions/terminal-frames';
import type { Who } from '../../platform/http/actor.ts';
import type { SessionEnd } from '../host/session-store.ts';
import type { Terminal } from './terminal.ts';
import type { Viewer, ViewerWire } from './viewer.ts';

/** How a program is reached. */
export interface ProgramWire {
  stdin: Readable | undefined;
  stdout: Writable | undefined;
  /** Calls back with each size of its window. */
  onSize(listener: (size: { cols: number; rows: number }) => void): void;
  /** Resolves when it is gone: `left` by its own will, `lost` with its network. */
  closed: Promise<'left' | 'lost'>;
  /** It has nothing more to type. */
  endInput?(): void;
  /** Tells the end and closes. */
  end(end: SessionEnd): void;
  /** The session goes on, but not on this gateway. */
  moved(): void;
}

export interface ProgramViewerOptions {
  terminal: Terminal;
  wire: ProgramWire;
  caller: Who;
  address: string;
  size: { cols: number; rows: number };
}

export class ProgramViewer {
  readonly #options: ProgramViewerOptions;
  readonly #id = randomUUID();
  readonly #writer = randomBytes(8).toString('hex');
  #viewer: Viewer | undefined;
  #typed = 0;
  /** Typed, and not taken yet: nothing more is read meanwhile. */
  #waiting = Buffer.alloc(0);
  #isInputOver = false;
  #toldFlow = '';

  constructor(options: ProgramViewerOptions) {
    this.#options = options;
  }

  begin(): void {
    const { terminal, wire, caller, address, size } = this.#options;
    const { hosted } = terminal;
    const viewer = terminal.attach({
      ...{ id: this.#id, wire: this.#wire, mode: 'peer', writer: this.#writer },
      ...{ size, from: 0 },
    });
    this.#viewer = viewer;
    const { username, signInId } = caller;
    const onRemoved = (end: SessionEnd) => viewer.endNow(end);
    if (!hosted.end) hosted.enter({ id: this.#id, username, signInId, address, mode: 'peer', onRemoved });
    wire.onSize((size) => terminal.resize(viewer, size));
    wire.stdin?.on('data', (bytes: Buffer) => {
      this.#waiting = Buffer.concat([this.#waiting, bytes]);
      this.#flush();
    });
    wire.stdin?.once('end', () => {
      this.#isInputOver = true;
      this.#flush();
    });
    void wire.closed.then((how) => this.#gone(how));
    terminal.begin(viewer);
  }

  #flush(): void {
    const { terminal, wire } = this.#options;
    const viewer = this.#viewer;
    if (!viewer || terminal.hosted.end) return;
    while (this.#waiting.length > 0) {
      const room = UNTAKEN_BYTES - (this.#typed - terminal.takenBy(this.#writer));
      const part = this.#waiting.subarray(0, Math.min(room, MAX_INPUT_BYTES));
      if (part.length === 0) break;
      // It does not send again what was passed over while nobody watched.
      if (terminal.input(viewer, this.#typed, part)) this.#typed += part.length;
      this.#waiting = this.#waiting.subarray(part.length);
    }
    if (this.#waiting.length > 0) wire.stdin?.pause();
    else if (this.#isInputOver) wire.endInput?.();
    else wire.stdin?.resume();
  }

  readonly #wire: ViewerWire = {
    output: (offset, bytes) => {
      const { stdout } = this.#options.wire;
      const seen = () => this.#viewer?.see(offset + bytes.length);
      if (stdout?.writable) stdout.write(bytes, seen);
      else setImmediate(seen);
    },
    // Whoever begins at the beginning is shown none.
    picture: () => {},
    tell: (message) => {
      if (message.type === 'notice') this.#print(message.text);
      if (message.type === 'flow') this.#tellFlow(message);
      if (message.type === 'taken') this.#flush();
    },
    end: (end) => this.#options.wire.end(end),
    moved: () => this.#options.wire.moved(),
  };

  #tellFlow({ flow, needs, could }: Extract<TerminalReply, { type: 'flow' }>): void {
    const [need] = needs;
    const who = could.length > 0 ? ` These could join: ${could.join(', ')}.` : '';
    const waits = need ? ` ${need.missing} more must join as ${need.modes.join(' or ')}.` : '';
    const text = flow === 'live' ? 'The session goes on.' : `The session is ${flow}.${waits}${who}`;
    // Names come after the rest, and nobody wants to read it twice.
    if (text === this.#toldFlow) return;
    this.#toldFlow = text;
    this.#print(text);
  }

  #print(text: string): void {
    const { stdout } = this.#options.wire;
    if (stdout?.writable) stdout.write(`\r\n${text}\r\n`);
  }

  /** What it opened runs for it alone: others who joined are told so. Whose network was lost finds it again in the browser. */
  #gone(how: 'left' | 'lost'): void {
    const { terminal } = this.#options;
    terminal.hosted.leave(this.#id, how);
    if (this.#viewer) terminal.detach(this.#viewer);
    if (how === 'left') terminal.hosted.finish({ cause: 'closed', message: 'the client that opened it left' });
  }
}
