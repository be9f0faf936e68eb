/** A command without a terminal that an agent runs. It lives as long as the stream to the agent, and no longer. */
import { type Duplex, Readable, Writable } from 'node:stream';
import {
  type AgentExecFrame,
  EXEC_WINDOW_BYTES,
  EXEC_WINDOW_STEP_BYTES,
  type ExecExit,
  type ExecStart,
  type GatewayExecFrame,
  isExecSignal,
} from '@gatehouse/contract/reach/agents/exec-frames';
import { agentExecReader, encodeExecFrame } from '@gatehouse/tunnel/commands/exec-frame-codec';
import { TunnelError } from '@gatehouse/tunnel/tunnel-error';
import type { CommandEnd, RunningCommand } from '../../../sessions/commands/running-command.ts';

const CHUNK_BYTES = 64 * 1024;
/** Below this one write of both is cheaper than two frames of HTTP/2. */
const JOIN_BYTES = 8 * 1024;
/** Joined beyond this: thousands of single bytes weigh a hundred times their size. */
const MAX_PIECES = 100;
/** While the agent reads nothing; no input weighs more, and each of them costs us many times its size. */
const MAX_UNREAD_SIGNALS = 1_000;
/** For the agent to close a stream on which it said that the command ended. */
const CLOSE_MS = 10_000;

export class AgentExec implements RunningCommand {
  readonly stdin: Writable;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly ended: Promise<CommandEnd>;
  readonly #stream: Duplex;
  readonly #end: (end: CommandEnd) => void;
  #isOver = false;
  #exit: CommandEnd | undefined;
  #inputRoom = EXEC_WINDOW_BYTES;
  #resumeInput: (() => void) | undefined;
  #unreadSignals = 0;

  constructor(stream: Duplex, start: ExecStart) {
    this.#stream = stream;
    const { promise, resolve } = Promise.withResolvers<CommandEnd>();
    this.ended = promise;
    this.#end = resolve;
    const output = (name: 'stdout' | 'stderr') =>
      new Output((bytes) => this.#send({ type: 'window', stream: name, bytes }));
    this.stdout = output('stdout');
    this.stderr = output('stderr');
    this.stdin = new Writable({
      write: (bytes: Buffer, _, done) => this.#write(bytes, done),
      final: (done) => {
        this.#send({ type: 'eof', stream: 'stdin' });
        done();
      },
    });
    // Whoever writes to a command that has ended learns it by its end.
    this.stdin.on('error', () => {});
    const reader = agentExecReader();
    stream.on('data', (piece: Buffer) => {
      try {
        for (const frame of reader.push(piece)) this.#take(frame);
      } catch (error) {
        const words = error instanceof TunnelError ? error.message : 'something could not be handled';
        this.#lose(`the agent broke the protocol of commands: ${words}`);
      }
    });
    stream.on('drain', () => this.#pumpInput());
    stream.on('error', () => {});
    stream.on('end', () => stream.end());
    stream.on('close', () => this.#lose('the connection to the agent was lost'));
    this.#send({ type: 'start', start });
    if (stream.destroyed) this.#lose('the connection to the agent was lost');
  }

  signal(name: string): void {
    if (!isExecSignal(name) || this.#exit) return;
    this.#unreadSignals = this.#stream.writableNeedDrain ? this.#unreadSignals + 1 : 0;
    if (this.#unreadSignals > MAX_UNREAD_SIGNALS) this.#lose('the agent does not read what it is sent');
    else this.#send({ type: 'signal', signal: name });
  }

  close(): void {
    this.#lose('the gateway ended it');
  }

  #take(frame: AgentExecFrame): void {
    if (this.#exit) throw bad('it sends something after the end of the command');
    switch (frame.type) {
      case 'data':
        this.#outputOf(frame.stream).receive(frame.bytes);
        return;
      case 'eof':
        this.#outputOf(frame.stream).receiveEnd();
        return;
      case 'window':
        this.#inputRoom += frame.bytes;
        if (this.#inputRoom > EXEC_WINDOW_BYTES) throw bad('it gives more room than there is');
        this.#pumpInput();
        return;
      case 'exit':
        if (!this.stdout.isComplete || !this.stderr.isComplete) throw bad('it has an end before that of its output');
        this.#exit = endOf(frame.exit);
        void this.#finish(this.#exit);
        return;
      default:
        frame satisfies never;
    }
  }

  #outputOf(stream: 'stdin' | 'stdout' | 'stderr'): Output {
    if (stream === 'stdin') throw bad('it sends input');
    return this[stream];
  }

  async #finish(exit: CommandEnd): Promise<void> {
    this.stdin.destroy();
    const timer = setTimeout(() => this.#stream.destroy(), CLOSE_MS);
    this.#stream.once('close', () => clearTimeout(timer));
    await Promise.all([this.stdout.handedOn, this.stderr.handedOn]);
    if (this.#isOver) return;
    this.#isOver = true;
    this.#end(exit);
  }

  /** A cut behind the exit takes nothing away. */
  #lose(why: string): void {
    if (!this.#exit) {
      this.#exit = { kind: 'lost', why };
      this.stdout.cut();
      this.stderr.cut();
      this.stdin.destroy();
      this.#isOver = true;
      this.#end(this.#exit);
    }
    this.#stream.destroy();
  }

  #write(bytes: Buffer, done: () => void): void {
    let rest = bytes;
    this.#resumeInput = () => {
      while (rest.length > 0) {
        if (this.#inputRoom === 0 || this.#stream.writableNeedDrain) return;
        const piece = rest.subarray(0, Math.min(this.#inputRoom, CHUNK_BYTES));
        this.#inputRoom -= piece.length;
        rest = rest.subarray(piece.length);
        this.#send({ type: 'data', stream: 'stdin', bytes: piece });
      }
      this.#resumeInput = undefined;
      done();
    };
    this.#resumeInput();
  }

  #pumpInput(): void {
    this.#resumeInput?.();
  }

  #send(frame: GatewayExecFrame): void {
    const stream = this.#stream;
    if (stream.destroyed || stream.writableEnded) return;
    const parts = encodeExecFrame(frame);
    const [head, body] = parts;
    if (head && body && body.length < JOIN_BYTES) stream.write(Buffer.concat([head, body]));
    else for (const part of parts) stream.write(part);
  }
}

/** One of two outputs: holds what came beyond what was read, which is no more than there was room for. */
class Output extends Readable {
  readonly #giveRoom: (bytes: number) => void;
  readonly #handedOn = Promise.withResolvers<void>();
  #pieces: Uint8Array[] = [];
  #held = 0;
  #room = EXEC_WINDOW_BYTES;
  #untold = 0;
  #wanted = false;
  isComplete = false;

  constructor(giveRoom: (bytes: number) => void) {
    super({ highWaterMark: CHUNK_BYTES });
    this.#giveRoom = giveRoom;
    this.on('error', () => {});
    this.on('end', () => this.#handedOn.resolve());
    this.on('close', () => {
      this.#handedOn.resolve();
      this.#dropHeld();
    });
  }

  /** Resolves when the last byte was read, or nobody will read it. */
  get handedOn(): Promise<void> {
    return this.#handedOn.promise;
  }

  receive(bytes: Uint8Array): void {
    if (this.isComplete) throw bad('it sends output after its end');
    this.#room -= bytes.length;
    if (this.#room < 0) throw bad('it sends more than it was asked for');
    if (this.destroyed) {
      this.#read(bytes.length);
      return;
    }
    this.#pieces.push(bytes);
    this.#held += bytes.length;
    if (this.#pieces.length > MAX_PIECES) this.#joinSmall();
    if (this.#wanted) this.#flush();
  }

  receiveEnd(): void {
    if (this.isComplete) throw bad('it ends its output twice');
    this.isComplete = true;
    if (this.#wanted || this.#held === 0) this.#flush();
  }

  /** What came is still read; nothing more comes. */
  cut(): void {
    if (!this.isComplete) this.receiveEnd();
  }

  override _read(): void {
    this.#wanted = true;
    this.#flush();
  }

  #flush(): void {
    if (this.#held > 0 && this.#wanted) {
      const bytes = this.#pieces.length === 1 && this.#pieces[0] ? this.#pieces[0] : Buffer.concat(this.#pieces);
      this.#pieces = [];
      this.#held = 0;
      this.#wanted = false;
      this.#read(bytes.length);
      this.push(bytes);
    }
    if (this.isComplete && this.#held === 0 && !this.destroyed) this.push(null);
  }

  /** The last ones up to a chunk: all of them every time would be a copy of everything for every few bytes. */
  #joinSmall(): void {
    const from = this.#pieces.findLastIndex(({ length }) => length >= CHUNK_BYTES) + 1;
    this.#pieces.push(Buffer.concat(this.#pieces.splice(from)));
  }

  #dropHeld(): void {
    this.#pieces = [];
    if (this.#held > 0) this.#read(this.#held);
    this.#held = 0;
  }

  #read(count: number): void {
    this.#untold += count;
    if (this.#untold < EXEC_WINDOW_STEP_BYTES || this.isComplete) return;
    this.#room += this.#untold;
    this.#giveRoom(this.#untold);
    this.#untold = 0;
  }
}

function endOf(exit: ExecExit): CommandEnd {
  if ('code' in exit) return { kind: 'exit', code: exit.code };
  return 'signal' in exit
    ? { kind: 'signal', signal: exit.signal, core: exit.core }
    : { kind: 'lost', why: exit.reason };
}

function bad(message: string): TunnelError {
  return new TunnelError('bad_peer', message);
}
