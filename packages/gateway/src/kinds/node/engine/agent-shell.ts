/** A shell that an agent holds: lives on while the tunnel to the agent, or a whole gateway, comes and goes. */
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AgentShellFrame,
  type GatewayShellFrame,
  MAX_WRITERS,
  type ShellSize,
  type ShellState,
  UNTAKEN_BYTES,
} from '@gatehouse/contract/reach/agents/shell-frames';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import { agentFrameReader, encodeShellFrame } from '@gatehouse/tunnel/shell-frame-codec';
import { StreamRefused, TunnelError } from '@gatehouse/tunnel/tunnel-error';
import { AppError } from '../../../platform/std/app-error.ts';
import type { Shell, ShellEvents } from '../../../sessions/terminal/shell.ts';
import { Breach, SmallFrames } from './ssh2-patches/small-frames.ts';
import { type InputChunk, UnackedInput } from './unacked-input.ts';

/** What the agent may send beyond what was passed on. */
export const AGENT_AHEAD_BYTES = 1024 * 1024;
/** Told this seldom: each is a frame of its own. */
const PASSED_EVERY_BYTES = 64 * 1024;
const KEPT_EVERY_BYTES = 256 * 1024;
/** From the stream's opening to the first frame. */
const STATE_MS = 10_000;
const RETRY_MS = { first: 100, most: 2_000 };
/** An attachment that was lost sooner did not heal anything: the next one is waited for longer. */
const STEADY_MS = 10_000;
/** From the wish to end a shell to its end; an agent that goes on must not hold on to a session that is over. */
const END_MS = 30_000;
/** All the input that may be under way, and room for the rest; an agent that reads nothing must not fill our memory. */
const MAX_UNSENT_BYTES = MAX_WRITERS * UNTAKEN_BYTES + 1024 * 1024;
/** An agent that breaks the rules of shell-frames.ts once may be new or old; one that goes on is given up. */
const MAX_BREACHES = 3;

export interface AgentShellOptions {
  /** Opens a stream to it; with `start` the shell is begun when there is none. Rejects with what the agent said as cause. */
  attach(how: { from: number; seen: number; start: boolean }): Promise<Duplex>;
  /** Resolves when it is worth trying again. */
  whenConnected(signal: AbortSignal): Promise<void>;
  ping(): Promise<number>;
  events: ShellEvents;
  /** How long it is waited for. */
  graceMs: number;
}

/** Begins a shell; rejects when the agent does not. */
export async function openAgentShell(options: AgentShellOptions): Promise<Shell> {
  const shell = new AgentShell(options);
  await shell.begin();
  return shell;
}

/** Goes on with a shell that was begun before this process. */
export function resumeAgentShell(options: AgentShellOptions): Shell {
  const shell = new AgentShell(options);
  shell.resume();
  return shell;
}

class AgentShell implements Shell {
  readonly survives = true;
  readonly #options: AgentShellOptions;
  readonly #untaken = new UnackedInput();
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
  readonly #smallFrames = new SmallFrames();
  #begunHere = false;
  #breaches: string[] = [];
  #attachedAt = Number.NEGATIVE_INFINITY;
  #retryMs = RETRY_MS.first;

  constructor(options: AgentShellOptions) {
    this.#options = options;
  }

  async begin(): Promise<void> {
    this.#begunHere = true;
    await this.#follow(await this.#options.attach({ from: 0, seen: 0, start: true }));
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
    if (this.#stream) this.#sendEnd(this.#ending);
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
    const silent = () => reject(unreachable('the agent said nothing about the shell'));
    const timer = setTimeout(() => stream.destroy(), STATE_MS);
    const reader = agentFrameReader();
    let at: 'first' | 'open' | 'exited' = 'first';
    stream.on('data', (piece: Buffer) => {
      try {
        for (const frame of reader.push(piece)) {
          if ((frame.type === 'state') !== (at === 'first')) throw new Breach(`it sends '${frame.type}' out of turn`);
          if (frame.type === 'state') {
            clearTimeout(timer);
            this.#attached(stream, frame.state);
            resolve();
            at = 'open';
          } else if (at === 'exited') throw new Breach('it sends something after the end of the shell');
          else if (frame.type === 'exit') at = 'exited';
          this.#take(frame);
        }
      } catch (error) {
        const isKnown = error instanceof Breach || error instanceof TunnelError;
        const words = isKnown ? error.message : 'something could not be handled';
        this.#breaches.push(words);
        reject(unreachable(`the agent broke the protocol of shells: ${words}`));
        stream.destroy();
      }
    });
    stream.on('error', () => {});
    stream.on('end', () => stream.end());
    stream.on('close', () => {
      clearTimeout(timer);
      silent();
      if (this.#stream !== stream) return;
      this.#stream = undefined;
      if (at !== 'exited' && !this.#over) void this.#comeBack('the connection to the agent was lost');
    });
    return promise;
  }

  #attached(stream: Duplex, state: ShellState): void {
    const { events } = this.#options;
    if (this.#end !== undefined && state.start > this.#end) throw new Breach('it has forgotten output');
    if (this.#end === undefined && this.#begunHere && state.start > 0)
      throw new Breach('a shell that was just begun has no past');
    this.#stream = stream;
    this.#attachedAt = performance.now();
    if (this.#away) events.back();
    this.#away = false;
    for (const [writer, offset] of Object.entries(state.taken)) {
      this.#untaken.taken(writer, offset);
      if (this.#end !== undefined) events.taken(writer, offset);
    }
    if (this.#end === undefined) {
      this.#end = state.start;
      this.#passed = this.#end;
      const { start, end, cols, rows, echo, program, taken } = state;
      events.begin({ start, end, cols, rows, echo, program, taken });
    } else {
      events.program(state.program);
    }
    this.#passedTold = this.#passed;
    this.#keptTold = this.#kept;
    this.#send({ type: 'seen', offset: this.#passed });
    this.#send({ type: 'kept', offset: this.#kept });
    for (const piece of this.#untaken.all()) this.#sendInput(piece);
    if (this.#size) this.#send({ type: 'resize', ...this.#size });
    if (this.#ending !== undefined) this.#sendEnd(this.#ending);
  }

  #take(frame: AgentShellFrame): void {
    const { events } = this.#options;
    switch (frame.type) {
      case 'state':
        return;
      case 'output':
        if (frame.offset !== this.#end) throw new Breach('its output has a hole');
        if (frame.bytes.length === 0) this.#smallFrames.count();
        if (this.#end + frame.bytes.length > this.#passedTold + AGENT_AHEAD_BYTES)
          throw new Breach('it sends more than it was asked for');
        this.#end += frame.bytes.length;
        events.output(frame.bytes);
        return;
      case 'taken':
        // What was typed here bounds these by itself.
        if (!this.#untaken.taken(frame.writer, frame.offset)) this.#smallFrames.count();
        events.taken(frame.writer, frame.offset);
        return;
      case 'size':
        this.#smallFrames.count();
        events.size({ cols: frame.cols, rows: frame.rows });
        return;
      case 'echo':
        this.#smallFrames.count();
        events.echo(frame.echo);
        return;
      case 'program':
        this.#smallFrames.count();
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
    const isSteady = performance.now() - this.#attachedAt >= STEADY_MS;
    if (isSteady) this.#retryMs = RETRY_MS.first;
    // It was let in and fell out again at once: who turns in a circle does it slowly.
    let waitsFirst = !isSteady && this.#retryMs > RETRY_MS.first;
    this.#away = true;
    events.away(reason);
    while (!signal.aborted) {
      if (this.#breaches.length >= MAX_BREACHES) {
        this.#lose(`the agent broke the protocol of shells: ${this.#breaches.at(-1)}`);
        return;
      }
      try {
        if (waitsFirst) await sleep(this.#retryMs, undefined, { signal });
        waitsFirst = true;
        await whenConnected(signal);
        this.#retryMs = Math.min(RETRY_MS.most, this.#retryMs * 2);
        const from = this.#end ?? 0;
        await this.#follow(await attach({ from, seen: Math.min(this.#passed, from), start: false }));
        return;
      } catch (error) {
        if (signal.aborted) break;
        if (isGone(error)) {
          this.#lose('the shell ended while the gateway had lost the way to it');
          return;
        }
      }
    }
    if (!this.#over) this.#lose('the agent that holds it did not come back');
  }

  #lose(reason: string): void {
    this.#over = true;
    this.#options.events.over({ lost: 'agent_lost', reason });
  }

  #sendEnd(reason: string): void {
    this.#send({ type: 'end', reason: reason.slice(0, 500) });
    const timer = setTimeout(() => this.release(), END_MS);
    whenAborted(this.#stop.signal, () => clearTimeout(timer));
    this.#stream?.once('close', () => clearTimeout(timer));
  }

  #sendInput({ writer, offset, bytes }: InputChunk): void {
    this.#send({ type: 'input', writer, offset, bytes });
  }

  #send(frame: GatewayShellFrame): void {
    const stream = this.#stream;
    if (!stream || stream.destroyed || stream.writableEnded) return;
    if (stream.writableLength > MAX_UNSENT_BYTES) {
      this.#breaches.push('it does not read what it is sent');
      stream.destroy();
      return;
    }
    stream.write(Buffer.concat(encodeShellFrame(frame)));
  }
}

function unreachable(message: string): AppError {
  return new AppError('target_unreachable', message);
}

/** The agent knows no such shell: it never comes back. */
function isGone(error: unknown): boolean {
  const said = error instanceof Error ? error.cause : undefined;
  return said instanceof StreamRefused && (said.code === 'not_found' || said.code === 'not_allowed');
}
