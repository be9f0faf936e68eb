/** One command and the gateway that asked for it: its streams in frames, each within the room the other side gave. */
import type { Duplex, Readable } from 'node:stream';
import {
  type AgentExecFrame,
  EXEC_SIGNALS,
  EXEC_WINDOW_BYTES,
  EXEC_WINDOW_STEP_BYTES,
  type ExecExit,
  type ExecStart,
  type GatewayExecFrame,
} from '@gatehouse/contract/reach/agents/exec-frames';
import { encodeExecFrame, gatewayExecReader } from '@gatehouse/tunnel/commands/exec-frame-codec';
import { messageOf, TunnelError } from '@gatehouse/tunnel/tunnel-error';
import type { AgentLog } from '../../../runtime/log.ts';
import type { CommandProcess } from './command-process.ts';
import { RunuserWords } from './runuser-words.ts';

const CHUNK_BYTES = 64 * 1024;
/** Below this one write of both is cheaper than two frames of HTTP/2. */
const JOIN_BYTES = 8 * 1024;
/** For a gateway to say what it wants run, and to have read how that ended. */
const GATEWAY_MS = 30_000;
/** How long a line may wait that could be the last one of `runuser`: that ends at once when it has said it. */
const WORDS_MS = 300;

export interface CommandOptions {
  stream: Duplex;
  /** Rejects with words for the one who asked. */
  begin(start: ExecStart): Promise<CommandProcess>;
  isWatched: boolean;
  onGone(): void;
  log: AgentLog;
}

type OutputName = 'stdout' | 'stderr';

interface Output {
  source: Readable;
  room: number;
  isOver: boolean;
}

export class Command {
  readonly #options: CommandOptions;
  readonly #stream: Duplex;
  readonly #words: RunuserWords | undefined;
  #begun = false;
  #process: CommandProcess | undefined;
  #outputs: Record<OutputName, Output> | undefined;
  #exit: ExecExit | undefined;
  readonly #toldEnds = new Set<OutputName>();
  #isDone = false;
  #over = false;
  #untoldInput = 0;
  /** Before the process is there. */
  #waiting: GatewayExecFrame[] = [];
  #inputRoom = EXEC_WINDOW_BYTES;
  #inputOver = false;
  #gone: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #wordsTimer: NodeJS.Timeout | undefined;

  constructor(options: CommandOptions) {
    const { stream, isWatched, log } = options;
    this.#options = options;
    this.#stream = stream;
    this.#words = isWatched ? new RunuserWords() : undefined;
    const reader = gatewayExecReader();
    this.#cutAfter(GATEWAY_MS);
    stream.on('data', (piece: Buffer) => {
      try {
        for (const frame of reader.push(piece)) this.#take(frame);
      } catch (error) {
        log.warn({ error: messageOf(error) }, 'a command was ended: the gateway broke the protocol');
        stream.destroy();
      }
    });
    stream.on('drain', () => this.#pump());
    stream.on('error', () => {});
    stream.on('end', () => {
      // A gateway that is done with it before it ended gives it up.
      if (!this.#over) stream.destroy();
    });
    stream.on('close', () => void this.#leave());
  }

  /** Resolves when nothing of it runs any more. */
  async end(reason: string): Promise<void> {
    if (!this.#over) this.#tellExit({ reason });
    await this.#leave();
  }

  #take(frame: GatewayExecFrame): void {
    if (this.#over) return;
    if ((frame.type === 'start') === this.#begun) throw bad(`it sends '${frame.type}' out of turn`);
    if (frame.type === 'start') return void this.#begin(frame.start);
    if (frame.type === 'data') {
      if (this.#inputOver) throw bad('it sends input after its end');
      this.#inputRoom -= frame.bytes.length;
      if (this.#inputRoom < 0) throw bad('it sends more input than there is room for');
    } else if (frame.type === 'eof') {
      if (this.#inputOver) throw bad('it ends the input twice');
      this.#inputOver = true;
    }
    if (this.#process) this.#serve(frame, this.#process);
    else this.#waiting.push(frame);
  }

  async #begin(start: ExecStart): Promise<void> {
    this.#begun = true;
    clearTimeout(this.#timer);
    // Whatever a gateway says meanwhile waits with it, and not here.
    this.#stream.pause();
    try {
      const running = await this.#options.begin(start);
      this.#process = running;
      if (this.#stream.destroyed || this.#over) return void running.hangUp();
      this.#follow(running);
    } catch (error) {
      this.#stream.resume();
      this.#tellExit({ reason: messageOf(error).slice(0, 500) || 'it could not be begun' });
    }
  }

  #follow(running: CommandProcess): void {
    const { stdout, stderr, exited } = running;
    this.#outputs = {
      stdout: { source: stdout, room: EXEC_WINDOW_BYTES, isOver: false },
      stderr: { source: stderr, room: EXEC_WINDOW_BYTES, isOver: false },
    };
    for (const [name, { source }] of Object.entries(this.#outputs)) {
      source.on('readable', () => this.#pump());
      source.on('close', () => this.#outputOver(name as OutputName));
      source.on('end', () => this.#outputOver(name as OutputName));
    }
    void exited.then((exit) => {
      this.#exit = exit;
      this.#finish();
    });
    for (const frame of this.#waiting.splice(0)) this.#serve(frame, running);
    this.#stream.resume();
    this.#pump();
  }

  #serve(frame: GatewayExecFrame, running: CommandProcess): void {
    switch (frame.type) {
      case 'start':
        return;
      case 'data':
        this.#input(frame.bytes, running);
        return;
      case 'eof':
        running.stdin.end();
        return;
      case 'signal': {
        const known = EXEC_SIGNALS.find((signal) => signal === frame.signal);
        if (known) running.signal(`SIG${known}`);
        return;
      }
      case 'window': {
        const output = frame.stream === 'stdin' ? undefined : this.#outputs?.[frame.stream];
        if (!output) return;
        output.room += frame.bytes;
        if (output.room > EXEC_WINDOW_BYTES) throw bad('it gives more room than there is');
        this.#pump();
        return;
      }
      default:
        frame satisfies never;
    }
  }

  #input(bytes: Uint8Array, { stdin }: CommandProcess): void {
    const taken = () => {
      this.#untoldInput += bytes.length;
      if (this.#untoldInput < EXEC_WINDOW_STEP_BYTES || this.#over) return;
      this.#inputRoom += this.#untoldInput;
      this.#send({ type: 'window', stream: 'stdin', bytes: this.#untoldInput });
      this.#untoldInput = 0;
    };
    // What nobody reads any more is dropped, as sshd does: its sender learns of it by the end of the command.
    if (stdin.destroyed || stdin.writableEnded) taken();
    else stdin.write(bytes, taken);
  }

  #pump(): void {
    if (!this.#outputs || this.#over) return;
    for (const [name, output] of Object.entries(this.#outputs)) this.#pumpOne(name as OutputName, output);
  }

  #pumpOne(name: OutputName, output: Output): void {
    const { source } = output;
    // With nothing there it is asked all the same: only so it notices that its end has come.
    do {
      if (this.#stream.writableNeedDrain || output.room === 0) return;
      const count = Math.min(output.room, source.readableLength, CHUNK_BYTES);
      const bytes: Buffer | null = count === 0 ? source.read(0) : source.read(count);
      if (bytes === null) return;
      output.room -= bytes.length;
      const told = name === 'stderr' && this.#words ? this.#holdBack(this.#words, bytes) : bytes;
      if (told.length > 0) this.#send({ type: 'data', stream: name, bytes: told });
    } while (source.readableLength > 0);
    source.read(0);
  }

  #holdBack(words: RunuserWords, bytes: Buffer): Buffer {
    clearTimeout(this.#wordsTimer);
    const told = words.push(bytes);
    if (words.isHolding) this.#wordsTimer = setTimeout(() => this.#tellHeld(), WORDS_MS);
    return told;
  }

  #tellHeld(): void {
    clearTimeout(this.#wordsTimer);
    const held = this.#words?.release();
    if (held && held.length > 0) this.#send({ type: 'data', stream: 'stderr', bytes: held });
  }

  #outputOver(name: OutputName): void {
    const output = this.#outputs?.[name];
    if (!output || output.isOver || this.#over) return;
    output.isOver = true;
    // The last line of `runuser` is no output of the command: the end of that is known when `runuser` has ended.
    if (name === 'stdout' || !this.#words) this.#tellEnd(name);
    this.#finish();
  }

  /** By itself: it has exited, and nobody holds its outputs any more. */
  #finish(): void {
    const exit = this.#exit;
    if (!exit || !this.#outputs?.stdout.isOver || !this.#outputs.stderr.isOver || this.#over) return;
    this.#isDone = true;
    const told = this.#words && 'code' in exit ? this.#words.exitOf(exit.code) : exit;
    this.#tellHeld();
    this.#tellExit(told);
  }

  #tellEnd(name: OutputName): void {
    if (this.#toldEnds.has(name)) return;
    this.#toldEnds.add(name);
    this.#send({ type: 'eof', stream: name });
  }

  #tellExit(exit: ExecExit): void {
    if (this.#over) return;
    this.#tellEnd('stdout');
    this.#tellEnd('stderr');
    this.#over = true;
    this.#waiting = [];
    clearTimeout(this.#timer);
    if (this.#stream.destroyed) return;
    this.#send({ type: 'exit', exit });
    this.#stream.end();
    this.#cutAfter(GATEWAY_MS);
  }

  #send(frame: AgentExecFrame): void {
    if (this.#stream.destroyed || this.#stream.writableEnded) return;
    const parts = encodeExecFrame(frame);
    const [head, body] = parts;
    if (head && body && body.length < JOIN_BYTES) this.#stream.write(Buffer.concat([head, body]));
    else for (const part of parts) this.#stream.write(part);
  }

  #cutAfter(ms: number): void {
    this.#timer = setTimeout(() => this.#stream.destroy(), ms).unref();
  }

  #leave(): Promise<void> {
    this.#gone ??= this.#letGo();
    return this.#gone;
  }

  async #letGo(): Promise<void> {
    clearTimeout(this.#timer);
    clearTimeout(this.#wordsTimer);
    this.#over = true;
    this.#waiting = [];
    // What it left behind on purpose stays, as with sshd; only what was cut short is ended.
    if (this.#isDone) this.#process?.close();
    else await this.#process?.hangUp();
    this.#options.onGone();
  }
}

function bad(message: string): TunnelError {
  return new TunnelError('bad_peer', message);
}
