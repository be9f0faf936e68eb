/** A shell that an agent holds: lives on while the tunnel to the agent, or a whole gateway, comes and goes. */
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  AgentShellFrame,
  GatewayShellFrame,
  ShellSize,
  ShellState,
} from '@gatehouse/contract/agents/shell-frames';
import { agentFrameReader, encodeShellFrame } from '@gatehouse/tunnel/shell-frame-codec';
import { StreamRefused } from '@gatehouse/tunnel/tunnel-error';
import type { ShellEvents, ShellHolder } from '../shell-holder.ts';
import { type Piece, UntakenInput } from './untaken-input.ts';

/** What the agent may send beyond what was passed on. */
export const AGENT_AHEAD_BYTES = 256 * 1024;
/** Told this seldom: each is a frame of its own. */
const PASSED_EVERY_BYTES = 64 * 1024;
const KEPT_EVERY_BYTES = 256 * 1024;
/** From the stream's opening to the first frame. */
const STATE_MS = 10_000;
const RETRY_MS = { first: 100, most: 2_000 };

export interface AgentShellOptions {
  /** Opens a stream to it; with `start` the shell is begun when there is none. Rejects with what the agent said as cause. */
  attach(how: { from: number; start: boolean }): Promise<Duplex>;
  /** Resolves when it is worth trying again. */
  whenConnected(signal: AbortSignal): Promise<void>;
  ping(): Promise<number>;
  events: ShellEvents;
  /** How long it is waited for. */
  graceMs: number;
}

/** Begins a shell; rejects when the agent does not. */
export async function openAgentShell(options: AgentShellOptions): Promise<ShellHolder> {
  const shell = new AgentShell(options);
  await shell.begin();
  return shell;
}

/** Goes on with a shell that was begun before this process. */
export function resumeAgentShell(options: AgentShellOptions): ShellHolder {
  const shell = new AgentShell(options);
  shell.resume();
  return shell;
}

class AgentShell implements ShellHolder {
  readonly survives = true;
  readonly #options: AgentShellOptions;
  readonly #untaken = new UntakenInput();
  readonly #stop = new AbortController();
  #stream: Duplex | undefined;
  /** One beyond the last byte that came; undefined before the first attachment. */
  #end: number | undefined;
  #passed = 0;
  #passedTold = 0;
  #kept = 0;
  #keptTold = 0;
  #size: ShellSize | undefined;
  #ending: string | undefined;
  #away = false;
  #over = false;

  constructor(options: AgentShellOptions) {
    this.#options = options;
  }

  async begin(): Promise<void> {
    await this.#follow(await this.#options.attach({ from: 0, start: true }));
  }

  resume(): void {
    void this.#comeBack('waiting for the agent that holds this shell');
  }

  takenBy(writer: string): number {
    return this.#untaken.takenBy(writer);
  }

  input(writer: string, offset: number, bytes: Uint8Array): void {
    if (this.#over) return;
    const piece = this.#untaken.receive(writer, offset, bytes);
    if (piece) this.#sendInput(piece);
  }

  resize(size: ShellSize): void {
    this.#size = size;
    this.#send({ type: 'resize', ...size });
  }

  passed(offset: number): void {
    this.#passed = Math.max(this.#passed, offset);
    if (this.#passed - this.#passedTold < PASSED_EVERY_BYTES) return;
    this.#passedTold = this.#passed;
    this.#send({ type: 'seen', offset: this.#passed });
  }

  kept(offset: number): void {
    this.#kept = Math.max(this.#kept, offset);
    if (this.#kept - this.#keptTold < KEPT_EVERY_BYTES) return;
    this.#keptTold = this.#kept;
    this.#send({ type: 'kept', offset: this.#kept });
  }

  end(reason: string): void {
    if (this.#over) return;
    this.#ending ??= reason;
    if (this.#stream) this.#send({ type: 'end', reason: this.#ending.slice(0, 500) });
  }

  release(): void {
    this.#over = true;
    this.#stop.abort();
    this.#stream?.destroy();
  }

  async roundTrip(): Promise<number | undefined> {
    return this.#stream ? await this.#options.ping().catch(() => undefined) : undefined;
  }

  /** Resolves with the first frame. */
  #follow(stream: Duplex): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => stream.destroy(new Error('the agent said nothing about the shell')), STATE_MS);
    const reader = agentFrameReader();
    let exited = false;
    stream.on('data', (piece: Buffer) => {
      try {
        for (const frame of reader.push(piece)) {
          if (frame.type === 'state') {
            clearTimeout(timer);
            this.#attached(stream, frame.state);
            resolve();
          } else if (frame.type === 'exit') exited = true;
          this.#take(frame);
        }
      } catch (error) {
        stream.destroy(error as Error);
      }
    });
    stream.on('error', () => {});
    stream.on('end', () => stream.end());
    stream.on('close', () => {
      clearTimeout(timer);
      reject(new Error('the agent closed the stream to the shell'));
      if (this.#stream !== stream) return;
      this.#stream = undefined;
      if (!exited && !this.#over) void this.#comeBack('the connection to the agent was lost');
    });
    return promise;
  }

  #attached(stream: Duplex, state: ShellState): void {
    const { events } = this.#options;
    if (this.#end !== undefined && state.start > this.#end) throw new Error('the agent has forgotten output');
    this.#stream = stream;
    if (this.#away) events.back();
    this.#away = false;
    for (const [writer, offset] of Object.entries(state.taken)) {
      this.#untaken.taken(writer, offset);
      if (this.#end !== undefined) events.taken(writer, offset);
    }
    if (this.#end === undefined) {
      this.#end = state.start;
      this.#passed = this.#end;
      const { start, cols, rows, echo, program } = state;
      events.begin({ start, cols, rows, echo, program });
    } else {
      events.program(state.program);
    }
    this.#passedTold = this.#passed;
    this.#keptTold = this.#kept;
    this.#send({ type: 'seen', offset: this.#passed });
    this.#send({ type: 'kept', offset: this.#kept });
    for (const piece of this.#untaken.all()) this.#sendInput(piece);
    if (this.#size) this.#send({ type: 'resize', ...this.#size });
    if (this.#ending !== undefined) this.#send({ type: 'end', reason: this.#ending.slice(0, 500) });
  }

  #take(frame: AgentShellFrame): void {
    const { events } = this.#options;
    switch (frame.type) {
      case 'state':
        return;
      case 'output':
        if (frame.offset !== this.#end) throw new Error('output of the agent has a hole');
        this.#end += frame.bytes.length;
        events.output(frame.bytes);
        return;
      case 'taken':
        this.#untaken.taken(frame.writer, frame.offset);
        events.taken(frame.writer, frame.offset);
        return;
      case 'size':
        events.size({ cols: frame.cols, rows: frame.rows });
        return;
      case 'echo':
        events.echo(frame.echo);
        return;
      case 'program':
        events.program(frame.program);
        return;
      case 'exit':
        this.#over = true;
        // Without this the agent would keep what is left for whoever comes back.
        this.#send({ type: 'kept', offset: this.#end ?? 0 });
        events.over(frame.exit);
        return;
      default:
        frame satisfies never;
    }
  }

  async #comeBack(reason: string): Promise<void> {
    const { attach, whenConnected, events, graceMs } = this.#options;
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(graceMs)]);
    this.#away = true;
    events.away(reason);
    for (let waitMs = RETRY_MS.first; !signal.aborted; waitMs = Math.min(RETRY_MS.most, waitMs * 2)) {
      try {
        await whenConnected(signal);
        await this.#follow(await attach({ from: this.#end ?? 0, start: false }));
        return;
      } catch (error) {
        if (signal.aborted) break;
        if (isGone(error)) {
          this.#lose('the shell ended while the gateway had lost the way to it');
          return;
        }
        await sleep(waitMs, undefined, { signal }).catch(() => {});
      }
    }
    if (!this.#over) this.#lose('the agent that holds it did not come back');
  }

  #lose(reason: string): void {
    this.#over = true;
    this.#options.events.over({ lost: 'agent_lost', reason });
  }

  #sendInput({ writer, offset, bytes }: Piece): void {
    this.#send({ type: 'input', writer, offset, bytes });
  }

  #send(frame: GatewayShellFrame): void {
    const stream = this.#stream;
    if (!stream || stream.destroyed || stream.writableEnded) return;
    stream.write(Buffer.concat(encodeShellFrame(frame)));
  }
}

/** The agent knows no such shell: it never comes back. */
function isGone(error: unknown): boolean {
  const said = error instanceof Error ? error.cause : undefined;
  return said instanceof StreamRefused && (said.code === 'not_found' || said.code === 'not_allowed');
}
