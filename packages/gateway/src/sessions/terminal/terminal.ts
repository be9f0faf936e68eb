/** A terminal that several people may look at: joins one holder of a shell with its viewers and its recorder, by byte offset. */
import { HELD_BYTES } from '@gatehouse/contract/reach/agents/shell-frames';
import type { Flow, TerminalReply } from '@gatehouse/contract/sessions/terminal-frames';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import { OutputBuffer, TAIL_BYTES } from '@gatehouse/tunnel/shells/output-buffer';
import { createPace } from '@gatehouse/tunnel/shells/pace';
import { Timeline } from '@gatehouse/tunnel/shells/timeline';
import { seldom } from '../../platform/std/seldom.ts';
import type { HostedSession } from '../host/hosted-session.ts';
import { ParticipantUpdates } from '../host/participant-updates.ts';
import type { SessionEnd } from '../host/session-store.ts';
import { type ScreenSource, screenSource } from '../screens/screen-source.ts';
import type { SessionScreens } from '../screens/session-screens.ts';
import { endOfShell, type Shell, type ShellEvents, type ShellOver, type ShellStart } from './shell.ts';
import { AGENT_BACK, type AttachOptions, type TerminalOptions } from './terminal-options.ts';
import type { TerminalRecorder } from './terminal-recorder.ts';
import { passedOn, seenByAll, smallestOfAll, Viewer } from './viewer.ts';

/** Whoever drags the edge of a window changes its size with every pixel. */
const RESIZE_EVERY_MS = 30;

/** An agent holds so much for a gateway that comes back; who promises more is not waited for. */
const MAX_BEFORE_BYTES = 2 * HELD_BYTES;

export class Terminal {
  readonly hosted: HostedSession;
  /** Resolves when the shell is there with all it had printed before, or has ended. */
  readonly ready: Promise<void>;
  /** Whoever comes need not wait for that. */
  isReady = false;
  /** All it has printed, for its screen. */
  readonly source: ScreenSource;
  readonly #screens: SessionScreens;
  readonly #begun = Promise.withResolvers<void>();
  readonly #viewers = new Map<string, Viewer>();
  readonly #news: ParticipantUpdates<Viewer>;
  readonly #resizing = seldom(() => {
    // A program is told of a new size, so that is input too; what is typed after it is meant for it.
    if (this.hosted.flow === 'live') this.#holder?.resize(this.hosted.session.size);
  }, RESIZE_EVERY_MS);
  #recorder: TerminalRecorder | undefined;
  #holder: Shell | undefined;
  #held = new OutputBuffer();
  #timeline: Timeline;
  #program = '';
  /** Not told yet, like what was taken by each writer: a thousand of either in one turn are one. */
  #hasNewProgram = false;
  readonly #taken = new Map<string, number>();
  /** All that the shell was given of each writer. */
  readonly #typed = new Map<string, number>();
  /** Whose window changed last. */
  #resizer: string;
  #away: string | undefined;
  readonly #pace = createPace(() => this.#pump());
  /** The recorder was given everything before this byte. */
  #recorded = 0;
  /** After a restart: up to here its people may have seen it, and who comes back first must not hear that there is no such byte. */
  #printedBefore = 0;
  #end: SessionEnd | undefined;

  constructor({ hosted, recorder, couldJoin, screens }: TerminalOptions) {
    this.hosted = hosted;
    this.#resizer = hosted.session.user;
    hosted.traffic = () => ({ sent: this.#held.end, received: [...this.#typed.values()].reduce((a, b) => a + b, 0) });
    this.#screens = screens;
    this.source = screenSource({
      sid: hosted.id,
      held: () => this.#held,
      timeline: () => this.#timeline,
      past: () => this.#recorder,
    });
    this.#recorder = recorder;
    this.#news = new ParticipantUpdates({
      hosted,
      viewers: this.#viewers,
      tell: ({ wire, writer }, news) =>
        wire.tell(news.type === 'flow' ? { ...news, taken: this.takenBy(writer) } : news),
      taken: ({ writer }) => this.takenBy(writer),
      couldJoin,
    });
    this.#timeline = new Timeline({ ...hosted.session.size, echo: true });
    this.ready = this.#begun.promise;
    void this.ready.then(() => {
      this.isReady = true;
    });
    recorder?.onDurable(() => this.#balance());
    recorder?.onFailed((reason) => this.#unrecorded(reason));
    // Whatever a role says: who prints until nothing fits any more must not go on unseen.
    recorder?.onFull((reason) => hosted.finish({ cause: 'unrecorded', message: `it was ended: ${reason}` }));
    hosted.onFlow((flow) => this.#flowed(flow));
    hosted.onPeople((what, who) => {
      if (what === 'came') this.#recorder?.joined(who.username, who.mode);
      if (what === 'left') this.#recorder?.left(who.username, who.mode);
      if (this.#viewers.size > 1) this.#news.tellParties();
      if (hosted.flow !== 'live') this.#news.tellFlow();
    });
    // There is no shell to wait for: its people wait here.
    if (hosted.flow === 'waiting') this.#begun.resolve();
    // It may be over by now: the recording was opened meanwhile, which can take long.
    whenAborted(hosted.signal, () => this.#cut(hosted.signal.reason as SessionEnd));
  }

  /** For the engine: what the shell does. */
  readonly events: ShellEvents = {
    begin: (start) => this.#begin(start),
    output: (bytes) => this.#heard(bytes),
    taken: (writer, offset) => {
      this.#taken.set(writer, offset);
      this.#typed.set(writer, offset);
      this.#schedule();
    },
    size: ({ cols, rows }) => {
      if (cols === this.size.cols && rows === this.size.rows) return;
      this.#record();
      this.#timeline.change(this.#held.end, { cols, rows });
      this.#recorder?.resize(this.#held.end, { cols, rows });
      this.hosted.resized({ cols, rows, by: this.#resizer });
      this.#schedule();
    },
    echo: (echo) => {
      if (echo === this.#timeline.now.echo) return;
      this.#record();
      this.#timeline.change(this.#held.end, { echo });
      this.#recorder?.echo(echo);
    },
    program: (program) => {
      this.#hasNewProgram ||= program !== this.#program;
      this.#program = program;
      this.#schedule();
    },
    away: (reason) => {
      this.#away = reason;
      this.#tellAll({ type: 'notice', kind: 'agent_lost', text: reason });
    },
    back: () => {
      this.#away = undefined;
      this.#tellAll(AGENT_BACK);
    },
    over: (over) => this.#over(over),
  };

  set holder(holder: Shell) {
    const wasAwaited = this.#holder === undefined && this.hosted.rules.length > 0;
    this.#holder = holder;
    if (wasAwaited) this.#flowed(this.hosted.flow);
    if (!this.hosted.end) return;
    if (this.hosted.released) holder.release();
    else holder.end(this.hosted.end.message);
  }

  get survives(): boolean {
    return this.#holder?.survives ?? this.hosted.session.agent !== undefined;
  }

  get away(): string | undefined {
    return this.#away;
  }

  /** Where somebody who asks for `from` begins; undefined when that was never printed. */
  startFor(from: number | undefined): number | undefined {
    const { start, end } = this.#held;
    if (from === undefined) return Math.max(start, end - TAIL_BYTES);
    // What is not held any more is read from the recording.
    return from > end ? undefined : Math.max(this.#recorder ? 0 : start, from);
  }

  takenBy(writer: string): number {
    return this.#holder?.takenBy(writer) ?? 0;
  }

  get size(): { cols: number; rows: number } {
    const { cols, rows } = this.#timeline.now;
    return { cols, rows };
  }

  sizeAt(offset: number): { cols: number; rows: number } {
    const { cols, rows } = this.#timeline.at(offset);
    return { cols, rows };
  }

  /** Call `pump` on it when it has been told how things stand. */
  attach({ from, ...options }: AttachOptions): Viewer {
    const viewer = new Viewer({
      ...options,
      from: this.startFor(from) ?? this.#held.end,
      // Whoever has nothing yet is shown the screen as it is, and goes on from there.
      picture: from === undefined ? () => this.#screens.picture(this.source) : undefined,
      held: this.#held,
      timeline: this.#timeline,
      mayWatch: () => this.hosted.mayWatch(options.id),
      past: (offset) => this.#recorder?.past(offset),
      onProgress: () => this.#balance(),
    });
    this.#viewers.set(viewer.id, viewer);
    return viewer;
  }

  /** They have been told how things stand; output and news follow. */
  begin(viewer: Viewer): void {
    // Also that nothing runs: who comes back may still show what ran before, and this process may know nothing of that.
    if (this.hosted.mayWatch(viewer.id)) viewer.wire.tell({ type: 'program', program: this.#program });
    if (this.hosted.flow !== 'live') this.#news.tellFlow();
    if (this.#away !== undefined) viewer.wire.tell({ type: 'notice', kind: 'agent_lost', text: this.#away });
    this.#news.tellParties();
    this.#fit();
    viewer.pump();
    this.#balance();
    if (this.#end) this.#tellEnd(viewer, this.#end);
  }

  detach(viewer: Viewer): void {
    viewer.close();
    if (!this.#viewers.delete(viewer.id)) return;
    this.#news.tellParties();
    this.#fit();
    this.#balance();
  }

  /** Throws an `InputError`. False: passed over, because they only look on or nothing passes at the moment. */
  input(viewer: Viewer, offset: number, bytes: Uint8Array): boolean {
    if (viewer.mode !== 'peer' || !viewer.takes(offset, this.#holder !== undefined && this.hosted.mayType(viewer.id)))
      return false;
    this.hosted.active(viewer.id);
    this.#resizing.hurry();
    this.#holder?.input(viewer.writer, offset, bytes);
    this.#recorder?.input(viewer.writer, offset, bytes);
    return true;
  }

  resize(viewer: Viewer, size: { cols: number; rows: number }): void {
    // Who only watches has a window of any size: no change of others is told as theirs.
    if (viewer.mode !== 'peer') return;
    viewer.size = size;
    this.#resizer = this.hosted.participants.get(viewer.id)?.username ?? this.#resizer;
    this.#fit();
  }

  notice(kind: Extract<TerminalReply, { type: 'notice' }>['kind'], text: string): void {
    this.#tellAll({ type: 'notice', kind, text });
  }

  async roundTrip(): Promise<number | undefined> {
    return this.#holder?.roundTrip();
  }

  /** Lets go of a shell that lives on elsewhere. */
  release(): void {
    this.#holder?.release();
  }

  #begin(start: ShellStart): void {
    const { cols, rows, echo, program } = start;
    // Whoever waited for it holds on to what is there.
    if (start.start > 0) this.#held = new OutputBuffer(start.start);
    if (start.start > 0) this.#timeline = new Timeline({ cols, rows, echo });
    else this.#timeline.change(0, { cols, rows, echo });
    this.#program = program;
    this.#tellProgram();
    for (const [writer, offset] of Object.entries(start.taken ?? {})) this.#typed.set(writer, offset);
    this.#recorded = start.start;
    this.#recorder?.begin(start.start, { cols, rows });
    this.#recorder?.echo(echo);
    this.hosted.connected();
    this.#printedBefore = Math.min(start.end ?? start.start, start.start + MAX_BEFORE_BYTES);
    this.#caughtUp();
  }

  #caughtUp(): void {
    if (this.#held.end >= this.#printedBefore) this.#begun.resolve();
  }

  #heard(bytes: Uint8Array): void {
    this.#held.append(bytes);
    this.#caughtUp();
    this.#pace.heard(bytes.length);
  }

  /** In large pieces: a program prints in thousands of small ones. */
  #record(): void {
    for (let bytes = this.#read(); this.#recorder && bytes.length > 0; bytes = this.#read()) {
      const before = this.#recorded;
      this.#recorder.write(before, bytes);
      this.#recorded += bytes.length;
      if (this.#recorded <= before) throw new RangeError('output does not move on');
    }
  }

  #read(): Buffer {
    return this.#held.read(this.#recorded, Number.POSITIVE_INFINITY);
  }

  /** What comes in one turn travels together. */
  #schedule(): void {
    this.#pace.heard(0);
  }

  #pump(): void {
    this.#tellNews();
    // First of all those who wait for the echo of a key: what is recorded goes to the disk once a second.
    for (const viewer of this.#viewers.values()) viewer.pump();
    this.#record();
    this.#screens.printed(this.source);
    this.#balance();
  }

  /** Tells the holder how far it may go, and what it may forget. */
  #balance(): void {
    const viewers = [...this.#viewers.values()];
    // Whoever only watches takes as little as they like: it neither waits for them nor runs ahead with them.
    const working = viewers.filter(({ id }) => this.hosted.isKeptBy(id));
    const stored = this.#recorder ? this.#recorder.durable() : seenByAll(working, this.#held.start);
    this.#held.keep(stored);
    this.#timeline.forgetBefore(this.#held.start);
    this.#holder?.kept(stored);
    if (this.#held.unkept >= HELD_BYTES) return;
    // While it is frozen nobody is shown more but those who watch over it.
    this.#holder?.passed(passedOn(this.hosted.flow === 'frozen' ? viewers : working, this.#held.end));
  }

  /** Everybody who types sees all of it. */
  #fit(): void {
    const size = smallestOfAll([...this.#viewers.values()].filter(({ mode }) => mode === 'peer'));
    if (!size) return;
    this.hosted.session.size = size;
    this.#resizing.tell();
  }

  #flowed(flow: Flow): void {
    // Told when there is a shell to type into.
    if (flow === 'live' && !this.#holder) return;
    this.#news.tellFlow();
    if (flow !== 'live') return;
    this.#tellProgram();
    this.#fit();
    for (const viewer of this.#viewers.values()) viewer.pump();
    this.#balance();
  }

  #tellNews(): void {
    if (this.#hasNewProgram) this.#tellProgram();
    for (const viewer of this.#viewers.values()) {
      const offset = this.#taken.get(viewer.writer);
      if (offset !== undefined) viewer.wire.tell({ type: 'taken', offset });
    }
    this.#taken.clear();
  }

  #tellProgram(): void {
    this.#hasNewProgram = false;
    for (const { id, wire } of this.#viewers.values())
      if (this.hosted.mayWatch(id)) wire.tell({ type: 'program', program: this.#program });
  }

  /** Who may see no output now sees none of the last either. */
  #tellEnd(viewer: Viewer, end: SessionEnd): void {
    if (this.hosted.mayWatch(viewer.id)) viewer.endAfterOutput(end);
    else viewer.endNow(end);
  }

  #over(over: ShellOver): void {
    this.#end ??= this.hosted.end ?? endOfShell(over);
    this.#begun.resolve();
    for (const viewer of this.#viewers.values()) this.#tellEnd(viewer, this.#end);
    this.#record();
    this.#recorder?.close(this.#end);
    this.hosted.finish(this.#end);
  }

  /** Ended from outside: nobody sees another byte. */
  #cut(end: SessionEnd): void {
    if (this.#end) return;
    this.#end = end;
    this.#begun.resolve();
    this.#record();
    if (this.hosted.released) {
      for (const viewer of this.#viewers.values()) viewer.moved();
      this.#holder?.release();
      this.#recorder?.release();
      return;
    }
    for (const viewer of this.#viewers.values()) viewer.endNow(end);
    this.#holder?.end(end.message);
    this.#recorder?.close(end);
  }

  #unrecorded(reason: string): void {
    this.#recorder = undefined;
    this.hosted.session.recorded = false;
    this.#balance();
    if (this.hosted.isStrictlyRecorded)
      this.hosted.finish({ cause: 'unrecorded', message: `it cannot be recorded any more: ${reason}` });
    else this.notice('unrecorded', `what follows is not recorded: ${reason}`);
  }

  #tellAll(message: TerminalReply): void {
    for (const viewer of this.#viewers.values()) viewer.wire.tell(message);
  }
}
