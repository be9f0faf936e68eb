/** An agent in memory that holds shells for tests: each echoes what is typed, prints on demand, and ends when told `exit`. */
import type { Duplex } from 'node:stream';
import type { GatewayShellFrame, ShellState } from '@gatehouse/contract/reach/agents/shell-frames';
import { SHELL_TARGET } from '@gatehouse/contract/reach/agents/targets';
import type { OnStream } from '@gatehouse/tunnel/agent-session';
import { encodeShellFrame, gatewayFrameReader } from '@gatehouse/tunnel/shell-frame-codec';
import { OutputBuffer } from '@gatehouse/tunnel/shells/output-buffer';
import { Writers } from '@gatehouse/tunnel/shells/writers';

class FakeShell {
  readonly login: string;
  readonly ends: string[] = [];
  readonly #held = new OutputBuffer();
  readonly #writers = new Writers();
  readonly #streams = new Map<Duplex, number>();
  #typed = '';
  size = { cols: 0, rows: 0 };
  #program = '';

  constructor(login: string) {
    this.login = login;
  }

  attach(stream: Duplex, from: number): void {
    const at = Math.max(from, this.#held.start);
    const { start, end } = this.#held;
    const state: ShellState = {
      ...{ start, end, taken: this.#writers.taken, echo: true, program: this.#program, pid: 1, login: this.login },
      ...{ cols: 80, rows: 24 },
    };
    this.#streams.set(stream, at);
    send(stream, { type: 'state', state });
    const reader = gatewayFrameReader();
    stream.on('data', (piece: Buffer) => {
      for (const frame of reader.push(piece)) this.#take(frame);
    });
    stream.on('error', () => {});
    stream.on('close', () => this.#streams.delete(stream));
    this.#pump();
  }

  print(text: string): void {
    this.#held.append(Buffer.from(text));
    this.#pump();
  }

  /** As when a program asks for a password, or has it. */
  echo(shown: boolean): void {
    for (const stream of this.#streams.keys()) send(stream, { type: 'echo', offset: this.#held.end, echo: shown });
  }

  /** What runs in the foreground now; empty for the shell itself. */
  run(program: string): void {
    this.#program = program;
    for (const stream of this.#streams.keys()) send(stream, { type: 'program', program });
  }

  /** All that was ever typed. */
  typed(): string {
    return this.#typed;
  }

  /** As when the wire to the gateway is cut. */
  cut(): void {
    for (const stream of this.#streams.keys()) stream.destroy();
  }

  exit(code: number): void {
    for (const stream of this.#streams.keys()) {
      send(stream, { type: 'exit', exit: { code } });
      stream.end();
    }
  }

  #take(frame: GatewayShellFrame): void {
    if (frame.type === 'resize') this.#resize({ cols: frame.cols, rows: frame.rows });
    if (frame.type === 'kept') this.#held.keep(frame.offset);
    if (frame.type === 'end') {
      this.ends.push(frame.reason);
      this.exit(129);
    }
    if (frame.type !== 'input') return;
    this.#writers.receive(frame.writer, frame.offset, frame.bytes);
    const taken = this.#writers.flush((bytes) => {
      const text = Buffer.from(bytes).toString();
      this.#typed += text;
      this.print(text);
      if (text.includes('exit')) setImmediate(() => this.exit(0));
      return bytes.length;
    });
    for (const stream of this.#streams.keys()) for (const one of taken) send(stream, { type: 'taken', ...one });
  }

  #resize(size: { cols: number; rows: number }): void {
    this.size = size;
    for (const stream of this.#streams.keys()) send(stream, { type: 'size', offset: this.#held.end, ...size });
  }

  #pump(): void {
    for (const [stream, from] of this.#streams) {
      for (let at = from; at < this.#held.end; ) {
        const bytes = this.#held.read(at, 64 * 1024);
        send(stream, { type: 'output', offset: at, bytes });
        at += bytes.length;
        this.#streams.set(stream, at);
      }
    }
  }
}

export type { FakeShell };

export interface FakeShells {
  onStream: OnStream;
  shells: Map<string, FakeShell>;
  /** The one that was begun last. */
  last(): FakeShell;
}

/** `next` serves whatever is no shell. */
export function fakeShells(next: OnStream): FakeShells {
  const shells = new Map<string, FakeShell>();
  return {
    shells,
    last: () => [...shells.values()].at(-1) as FakeShell,
    onStream(offered, request) {
      if (request.target !== SHELL_TARGET) return next(offered, request);
      const { session = '', login, from = '0' } = request.metadata;
      const known = shells.get(session) ?? (login === undefined ? undefined : new FakeShell(login));
      if (!known) return offered.refuse('not_found', 'no such shell');
      if (login === 'ghost') return offered.refuse('not_allowed', "there is no user 'ghost'");
      shells.set(session, known);
      known.attach(offered.accept(), Number(from));
      return undefined;
    },
  };
}

function send(stream: Duplex, frame: Parameters<typeof encodeShellFrame>[0]): void {
  if (!stream.destroyed && !stream.writableEnded) stream.write(Buffer.concat(encodeShellFrame(frame)));
}
