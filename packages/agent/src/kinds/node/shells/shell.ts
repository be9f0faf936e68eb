/** A shell and all that is known of it, for as long as somebody may come back to it: gateways come and go, it stays. */
import type { Duplex } from 'node:stream';
import {
  type GatewayShellFrame,
  HELD_BYTES,
  type ShellExit,
  type ShellSize,
} from '@gatehouse/contract/reach/agents/shell-frames';
import { OutputBuffer } from '@gatehouse/tunnel/shells/output-buffer';
import { createPace } from '@gatehouse/tunnel/shells/pace';
import { Timeline } from '@gatehouse/tunnel/shells/timeline';
import { Writers } from '@gatehouse/tunnel/shells/writers';
import type { AgentLog } from '../../../runtime/log.ts';
import type { Pty } from '../pty/open-pty.ts';
import { Attachment } from './attachment.ts';
import type { TerminalSettings } from './terminal-settings.ts';
import { type TerminalFacts, type TerminalWatch, watchTerminal } from './watch-terminal.ts';

/** What a program may print beyond what somebody who is attached has taken: the less, the sooner a Ctrl-C is felt. */
const LEAD_BYTES = 128 * 1024;
/**
 * Room for last words of programs that are told to go, beyond whatever waits already: one that cannot print them does not go,
 * `runuser` for one.
 */
const PARTING_BYTES = 256 * 1024;
/** Longer than any timer runs. */
const MAX_GRACE_MS = 24 * 3_600_000;
/** Nobody tells when a terminal that was full takes input again. */
const RETRY_INPUT_MS = { first: 2, max: 100 };

export interface ShellDeps {
  login: string;
  size: ShellSize;
  /** How the shell calls itself while it waits for a command. */
  shellName: string;
  openPty(size: ShellSize, onData: (bytes: Buffer) => void): Pty;
  settings(device: string): Promise<TerminalSettings | undefined>;
  /** Ends everything on its terminal: gently, then by force. */
  hangUp(pty: Pty): Promise<void>;
  /** It has ended by itself or otherwise; who is attached may still read the rest. */
  onEnd(): void;
  /** It has ended, and nobody can want anything more of it. */
  onGone(): void;
  log: AgentLog;
}

export interface AttachRequest {
  from: number;
  ahead?: number | undefined;
  seen?: number | undefined;
  graceMs: number;
}

export class Shell {
  readonly #deps: ShellDeps;
  readonly #pty: Pty;
  readonly #held = new OutputBuffer();
  readonly #timeline: Timeline;
  readonly #writers = new Writers();
  readonly #attachments = new Set<Attachment>();
  readonly #watch: TerminalWatch;
  readonly #pace = createPace(() => this.#pump());
  #program = '';
  #paused = false;
  #retryMs = RETRY_INPUT_MS.first;
  #inputTimer: NodeJS.Timeout | undefined;
  #graceTimer: NodeJS.Timeout | undefined;
  #hangingUp: Promise<void> | undefined;
  /** Up to here nothing holds up what it prints. */
  #partingEnd = 0;
  /** Nobody will ever read what it prints from now on. */
  #unheard = false;
  #graceMs = 0;
  #reason: string | undefined;
  #exit: ShellExit | undefined;
  #gone = false;

  constructor(deps: ShellDeps) {
    this.#deps = deps;
    this.#timeline = new Timeline({ ...deps.size, echo: true });
    this.#pty = deps.openPty(deps.size, (bytes) => this.#heard(bytes));
    const { device } = this.#pty;
    this.#watch = watchTerminal({
      foreground: () => this.#pty.foreground(),
      settings: () => deps.settings(device),
      onChange: (facts) => this.#looked(facts),
    });
    void this.#pty.exited.then((exit) => this.#ended(exit));
  }

  get login(): string {
    return this.#deps.login;
  }

  get pid(): number {
    return this.#pty.pid;
  }

  get end(): number {
    return this.#held.end;
  }

  /** Several may be attached at once. */
  attach(stream: Duplex, { from, ahead = Number.POSITIVE_INFINITY, seen, graceMs }: AttachRequest): void {
    clearTimeout(this.#graceTimer);
    this.#graceMs = Math.min(graceMs, MAX_GRACE_MS);
    const { login, log } = this.#deps;
    if (!this.#exit) this.#watch.lookNow();
    const attachment: Attachment = new Attachment({
      stream,
      from,
      ahead,
      seen,
      held: this.#held,
      timeline: this.#timeline,
      state: { taken: this.#writers.taken, program: this.#program, pid: this.#pty.pid, login },
      onFrame: (frame) => this.#take(frame),
      onProgress: () => this.#balance(),
      onDetach: () => {
        this.#attachments.delete(attachment);
        this.#balance();
        if (this.#attachments.size === 0) this.#alone();
      },
      log,
    });
    this.#attachments.add(attachment);
    if (this.#exit) attachment.tellExit(this.#exit);
    this.#balance();
  }

  /** Resolves when nothing of it runs any more. The first reason stands. */
  hangUp(reason: string): Promise<void> {
    if (this.#hangingUp) return this.#hangingUp;
    if (this.#exit) return Promise.resolve();
    this.#reason = reason;
    this.#hangingUp = this.#deps.hangUp(this.#pty);
    this.#partingEnd = this.#held.end + PARTING_BYTES;
    this.#balance();
    return this.#hangingUp;
  }

  /** Forgets it at once, with what nobody has read. */
  close(): void {
    this.#vanish();
  }

  #heard(bytes: Buffer): void {
    this.#held.append(bytes);
    if (this.#unheard) this.#held.keep(this.#held.end);
    this.#watch.heard(bytes);
    this.#balance();
    this.#pace.heard(bytes.length);
  }

  #pump(): void {
    for (const attachment of this.#attachments) attachment.pump();
    this.#balance();
  }

  #take(frame: GatewayShellFrame): void {
    switch (frame.type) {
      case 'input':
        if (this.#exit) return;
        this.#writers.receive(frame.writer, frame.offset, frame.bytes);
        this.#watch.typed(frame.bytes);
        if (!this.#inputTimer) this.#flushInput();
        return;
      case 'resize': {
        const { cols, rows } = frame;
        const { now } = this.#timeline;
        if (this.#exit || (now.cols === cols && now.rows === rows)) return;
        this.#pty.resize({ cols, rows });
        this.#timeline.change(this.#held.end, { cols, rows });
        for (const attachment of this.#attachments) attachment.pump();
        return;
      }
      case 'kept':
        this.#held.keep(frame.offset);
        this.#timeline.forgetBefore(this.#held.start);
        this.#balance();
        return;
      case 'end':
        void this.hangUp(frame.reason);
        return;
      case 'seen':
        return;
      default:
        frame satisfies never;
    }
  }

  #flushInput(): void {
    this.#inputTimer = undefined;
    const taken = this.#writers.flush((bytes) => this.#pty.write(bytes));
    for (const one of taken) for (const attachment of this.#attachments) attachment.tellTaken(one);
    if (!this.#writers.isWaiting) {
      this.#retryMs = RETRY_INPUT_MS.first;
      return;
    }
    this.#retryMs = taken.length > 0 ? RETRY_INPUT_MS.first : Math.min(RETRY_INPUT_MS.max, this.#retryMs * 2);
    this.#inputTimer = setTimeout(() => this.#flushInput(), this.#retryMs);
  }

  #looked({ program, echo }: TerminalFacts): void {
    const { end } = this.#held;
    if (echo !== this.#timeline.now.echo) this.#timeline.change(end, { echo });
    const shown = program === this.#deps.shellName ? '' : program.slice(0, 256);
    const changed = shown !== this.#program;
    this.#program = shown;
    for (const attachment of this.#attachments) {
      attachment.pump();
      if (changed) attachment.tellProgram(shown);
    }
  }

  /** Lets the terminal wait, or go on. With two limits each, so that it does not stutter. */
  #balance(): void {
    const { end, unkept } = this.#held;
    const full = unkept >= HELD_BYTES - (this.#paused ? LEAD_BYTES : 0);
    const foremost = Math.max(...[...this.#attachments].map(({ cursor }) => cursor));
    const lead = this.#attachments.size > 0 ? end - foremost : 0;
    const untaken = lead >= LEAD_BYTES / (this.#paused ? 2 : 1);
    const waits = (full || untaken) && end >= this.#partingEnd;
    if (waits === this.#paused) return;
    this.#paused = waits;
    if (this.#paused) this.#pty.pause();
    else this.#pty.resume();
  }

  #alone(): void {
    if (this.#gone) return;
    clearTimeout(this.#graceTimer);
    const settled = this.#exit !== undefined && (this.#unheard || this.#held.unkept === 0);
    if (settled) this.#vanish();
    else this.#graceTimer = setTimeout(() => this.#graceOver(), this.#graceMs);
  }

  #graceOver(): void {
    if (this.#exit) {
      this.#vanish();
      return;
    }
    this.#deps.log.info({ login: this.login }, 'a shell is ended: nobody came back to it');
    void this.hangUp('nobody was attached to it any more');
    this.#unheard = true;
    this.#held.keep(this.#held.end);
    this.#balance();
  }

  #ended(exit: ShellExit): void {
    this.#deps.onEnd();
    this.#exit = { ...exit, ...(this.#reason === undefined ? {} : { reason: this.#reason }) };
    clearTimeout(this.#inputTimer);
    this.#watch.stop();
    this.#pace.stop();
    for (const attachment of this.#attachments) attachment.tellExit(this.#exit);
    if (this.#attachments.size === 0) this.#alone();
  }

  #vanish(): void {
    if (this.#gone) return;
    this.#gone = true;
    clearTimeout(this.#graceTimer);
    clearTimeout(this.#inputTimer);
    this.#watch.stop();
    this.#pace.stop();
    for (const attachment of this.#attachments) attachment.cut();
    this.#pty.close();
    this.#deps.onGone();
  }
}
