/** What runs in a pod on a terminal, as sessions see it. The stream to the cluster holds it: it ends with that. */
import type { Duplex } from 'node:stream';
import type { ShellSize } from '@gatehouse/contract/reach/agents/shell-frames';
import { Writers } from '@gatehouse/tunnel/shells/writers';
import type { Shell, ShellEvents } from '../../sessions/terminal/shell.ts';
import type { ExecChannels } from './engine/streams/channels.ts';
import { type Outcome, outcomeOf } from './engine/streams/exec-outcome.ts';
import { readExecStatus } from './engine/streams/exec-status.ts';

/** What a program may print beyond what was passed on: the less, the sooner a Ctrl-C is felt. */
const LEAD_BYTES = 256 * 1024;

export interface PodShellOptions {
  channels: ExecChannels;
  /** For messages. */
  pod: string;
  size: ShellSize;
  events: ShellEvents;
  /** What whoever opened it can do about what the cluster says. */
  advise?: (message: string) => string;
}

export class PodShell implements Shell {
  readonly survives = false;
  /** Word for word, once it is over; empty where the cluster told none. */
  status: Buffer = Buffer.alloc(0);
  readonly #channels: ExecChannels;
  readonly #stdin: Duplex | undefined;
  readonly #output: readonly Duplex[];
  readonly #events: ShellEvents;
  readonly #pod: string;
  readonly #advise: (message: string) => string;
  readonly #writers = new Writers();
  #size: ShellSize;
  #printed = 0;
  #passed = 0;
  #isPaused = false;
  #isInputOver = false;
  #isOver = false;
  #reason: string | undefined;

  constructor({ channels, pod, size, events, advise = () => '' }: PodShellOptions) {
    this.#channels = channels;
    this.#events = events;
    this.#pod = pod;
    this.#advise = advise;
    this.#size = size;
    const { stdin, stdout, stderr } = channels.streams;
    this.#stdin = stdin;
    this.#output = [stdout, stderr].filter((stream) => stream !== undefined);
    events.begin({ start: 0, ...size, echo: true, program: '' });
    this.#tellSize(size);
    stdin?.on('drain', () => this.#flush());
    for (const stream of this.#output) stream.on('data', (bytes: Buffer) => this.#heard(bytes));
    const output = { printed: () => this.#printed, isHeld: () => this.#isPaused };
    void outcomeOf(channels, output).then((outcome) => this.#finish(outcome));
  }

  takenBy(writer: string): number {
    return this.#writers.taken[writer] ?? 0;
  }

  input(writer: string, offset: number, bytes: Uint8Array): void {
    if (this.#isOver) return;
    this.#writers.receive(writer, offset, bytes);
    this.#flush();
  }

  /** Who opened it has nothing more to type, and others type through them. */
  endInput(): void {
    this.#isInputOver = true;
    this.#flush();
  }

  resize(size: ShellSize): void {
    const { cols, rows } = size;
    if (this.#isOver || (cols === this.#size.cols && rows === this.#size.rows)) return;
    this.#size = size;
    this.#tellSize(size);
    this.#events.size({ cols, rows });
  }

  passed(offset: number): void {
    this.#passed = Math.max(this.#passed, offset);
    this.#balance();
  }

  /** What is held is with the session; the cluster keeps nothing. */
  kept(): void {}

  end(reason: string): void {
    this.#reason ??= reason;
    this.#channels.destroy();
  }

  release(): void {
    this.end('the gateway let go of it');
  }

  async roundTrip(): Promise<number | undefined> {
    return undefined;
  }

  #tellSize({ cols, rows }: ShellSize): void {
    this.#channels.streams.resize?.write(`${JSON.stringify({ Width: cols, Height: rows })}\n`);
  }

  #heard(bytes: Buffer): void {
    this.#printed += bytes.length;
    this.#events.output(bytes);
    this.#balance();
  }

  /** Lets the cluster wait, or go on. With two limits, so that it does not stutter. */
  #balance(): void {
    const wait = this.#printed - this.#passed >= LEAD_BYTES / (this.#isPaused ? 2 : 1);
    if (wait === this.#isPaused) return;
    this.#isPaused = wait;
    for (const stream of this.#output) {
      if (wait) stream.pause();
      else stream.resume();
    }
  }

  #flush(): void {
    const stdin = this.#stdin;
    const taken = this.#writers.flush((bytes) => {
      // Nobody reads there: it is gone, as in a terminal that nothing reads.
      if (!stdin || stdin.writableEnded || stdin.destroyed) return bytes.length;
      if (stdin.writableNeedDrain) return 0;
      stdin.write(bytes);
      return bytes.length;
    });
    for (const { writer, offset } of taken) this.#events.taken(writer, offset);
    if (this.#isInputOver && !this.#writers.isWaiting && stdin?.writableEnded === false) stdin.end();
  }

  #finish({ status, lost }: Outcome): void {
    this.#isOver = true;
    this.status = status;
    this.#channels.close();
    const told = readExecStatus(status);
    if (this.#reason !== undefined) this.#events.over({ reason: this.#reason });
    else if (told?.code !== undefined) this.#events.over({ code: told.code });
    else if (told)
      this.#events.over({
        lost: 'target_lost',
        reason: `the cluster ended it: ${told.message}${this.#advise(told.message ?? '')}`,
      });
    else
      this.#events.over({
        lost: 'target_lost',
        reason: `the way to the pod '${this.#pod}' was lost: ${lost ?? 'no status came'}`,
      });
  }
}
