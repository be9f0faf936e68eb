/** The session of a workbench as it is told to people: who is missing, each statement as it is asked, and what came of it. */
import type { EditorFlow } from '@gatehouse/contract/kinds/db/editor';
import {
  MAX_PAST_STATEMENTS,
  MAX_WATCHED_CHARACTERS,
  type WatchReply,
} from '@gatehouse/contract/sessions/watch-frames';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import { wholeCount } from '../../../platform/std/whole-count.ts';
import type { HostedSession } from '../../../sessions/host/hosted-session.ts';
import type { AskedStatement, StatementSink } from '../../../sessions/statements/statement-recorder.ts';
import type { WantedDb } from '../wanted-db.ts';

type AskedFrame = Extract<WatchReply, { type: 'asked' }>;
type AnsweredFrame = Extract<WatchReply, { type: 'answered' }>;
export type StatementFrame = AskedFrame | AnsweredFrame;

interface Run {
  asked: AskedFrame;
  answered: AnsweredFrame | undefined;
}

export interface WatchedSessionDeps {
  hosted: HostedSession;
  wanted: WantedDb;
  /** Who could join so that it goes on. */
  couldJoin(): Promise<string[]>;
  now(): number;
}

export class WatchedSession {
  readonly hosted: HostedSession;
  readonly wanted: WantedDb;
  readonly #deps: WatchedSessionDeps;
  readonly #flowHearers = new Set<(flow: EditorFlow) => void>();
  readonly #viewers = new Set<(frame: StatementFrame) => void>();
  readonly #past = new Map<number, Run>();
  #could: readonly string[] = [];
  #last = 0;

  constructor(deps: WatchedSessionDeps) {
    this.#deps = deps;
    this.hosted = deps.hosted;
    this.wanted = deps.wanted;
    this.hosted.onFlow(() => this.#flowChanged());
    this.hosted.onPeople((what) => {
      if (what !== 'typing' && this.hosted.flow !== 'live') this.#tellFlow();
    });
  }

  /** From now on, and how it is now where that is not as usual. */
  onFlow(hear: (flow: EditorFlow) => void): () => void {
    this.#flowHearers.add(hear);
    if (this.hosted.flow !== 'live') {
      hear(this.#flow());
      void this.#ask();
    }
    return () => this.#flowHearers.delete(hear);
  }

  /** What was run last, and each from now on. */
  watch(tell: (frame: StatementFrame) => void): () => void {
    for (const { asked, answered } of this.#past.values()) {
      tell(asked);
      if (answered) tell(answered);
    }
    this.#viewers.add(tell);
    return () => this.#viewers.delete(tell);
  }

  /** Of one connection; those of others are told beside it. */
  over(recorder: StatementSink | undefined): StatementSink {
    /** Ours, and those of the recording. */
    const numbers = new Map<number, number>();
    return {
      // Whoever watches sees what runs, recorded or not.
      isOpen: () => true,
      asked: (statement) => {
        this.#last += 1;
        const n = this.#last;
        const inRecording = recorder?.asked(statement) ?? 0;
        if (inRecording !== 0) numbers.set(n, inRecording);
        this.#asked(n, statement);
        return n;
      },
      inRecording: (n) => numbers.get(n),
      sample(n, sample) {
        const inRecording = numbers.get(n);
        if (inRecording !== undefined) recorder?.sample(inRecording, sample);
      },
      answered: (n, outcome) => {
        const inRecording = numbers.get(n);
        numbers.delete(n);
        if (inRecording !== undefined) recorder?.answered(inRecording, outcome);
        const { ok, tag, code, error, rows, bytes, ms } = outcome;
        const answered: AnsweredFrame = {
          ...{
            type: 'answered',
            ms: this.#ms(),
            n,
            took: ms,
            rows: wholeCount(rows),
            bytes: wholeCount(bytes),
            tag,
            code,
          },
          ...(ok ? {} : { error }),
        };
        const run = this.#past.get(n);
        if (run) run.answered = answered;
        this.#tell(answered);
      },
      behind: () => recorder?.behind(),
    };
  }

  #asked(n: number, { what, text, length, sha256, cut, values, backend }: AskedStatement): void {
    const isLong = text.length > MAX_WATCHED_CHARACTERS;
    const asked: AskedFrame = {
      ...{ type: 'asked', ms: this.#ms(), n, what },
      // A copy: a slice of a text would keep all of it.
      text: isLong ? Buffer.from(text.slice(0, MAX_WATCHED_CHARACTERS)).toString() : text,
      ...(isLong || length !== undefined ? { length: length ?? Buffer.byteLength(text) } : {}),
      ...(sha256 === undefined ? {} : { sha256 }),
      ...(cut ? { cut } : {}),
      ...(values ? { values: [...values] } : {}),
      ...(backend === undefined ? {} : { backend }),
    };
    this.#past.set(n, { asked, answered: undefined });
    for (const old of this.#past.keys()) {
      if (this.#past.size <= MAX_PAST_STATEMENTS) break;
      this.#past.delete(old);
    }
    this.#tell(asked);
  }

  #tell(frame: StatementFrame): void {
    for (const viewer of this.#viewers) viewer(frame);
  }

  #ms(): number {
    return Math.max(0, Math.round(this.#deps.now() - this.hosted.session.created));
  }

  #flow(): EditorFlow {
    const { flow, flowSince, needs } = this.hosted;
    return { type: 'flow', flow, since: new Date(flowSince).toISOString(), needs, could: [...this.#could] };
  }

  #flowChanged(): void {
    if (this.hosted.flow === 'live') this.#could = [];
    this.#tellFlow();
    void this.#ask();
  }

  #tellFlow(): void {
    if (this.hosted.end) return;
    const flow = this.#flow();
    for (const hear of this.#flowHearers) hear(flow);
  }

  async #ask(): Promise<void> {
    const isHeld = () => this.hosted.flow !== 'live';
    if (!isHeld() || this.#could.length > 0) return;
    // It is waited for without knowing who could come, when the store does not answer.
    const names = await this.#deps.couldJoin().catch(() => []);
    if (names.length === 0 || !isHeld()) return;
    this.#could = names;
    this.#tellFlow();
  }
}

/** Those of the workbenches that this gateway serves. */
export class WatchedSessions {
  readonly #open = new Map<string, WatchedSession>();

  open(deps: WatchedSessionDeps): WatchedSession {
    const { hosted } = deps;
    const watched = new WatchedSession(deps);
    this.#open.set(hosted.id, watched);
    whenAborted(hosted.signal, () => this.#open.delete(hosted.id));
    return watched;
  }

  get(sid: string): WatchedSession | undefined {
    return this.#open.get(sid);
  }
}
