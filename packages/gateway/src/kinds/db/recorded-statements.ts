/** Writes the statements of one connection into the recording of its session: each when it is asked, and once more when it is answered. */
import type { ResultSample, StatementSink } from '../../sessions/statements/statement-recorder.ts';
import { type Outcome, SHORT_CHARACTERS, type StatementText, TOLD_CHARACTERS } from './engine/statement.ts';

export interface RecordedText {
  what: string;
  /** Whole, as far as the engine keeps it. */
  text: StatementText;
  /** As they may be told. */
  values?: readonly string[];
  /** All of it was told when it was prepared. */
  isBeginning?: boolean;
}

/** What no engine cuts: the length on the wire of what is shorter says nothing about the text. */
const ALWAYS_WHOLE_BYTES = 64 * 1024;

export class RecordedStatements {
  readonly #recorder: StatementSink | undefined;
  readonly #backend: number | undefined;
  /** Numbers of those that wait for their answers, in the order in which protocols give them. */
  readonly #waiting: number[] = [];

  /** Without a recorder, everything is passed over. */
  constructor(recorder: StatementSink | undefined, backend: number | undefined) {
    this.#recorder = recorder;
    this.#backend = backend;
  }

  get isOn(): boolean {
    return this.#recorder?.isOpen() ?? false;
  }

  /** Answered in its turn, by `next`. */
  asked(asked: RecordedText): void {
    if (this.#recorder) this.#waiting.push(this.#ask(asked));
  }

  /** The oldest that waits has its answer. Gives its number in the recording, as do all that follow. */
  next(outcome: Outcome, sample?: ResultSample): number | undefined {
    const number = this.#waiting.shift();
    return number === undefined ? undefined : this.answered(number, outcome, sample);
  }

  /** Of a protocol that answers in any order: gives what `answered` takes. */
  askedByItself(asked: RecordedText): number {
    return this.#ask(asked);
  }

  answered(number: number, outcome: Outcome, sample?: ResultSample): number | undefined {
    const recorder = this.#recorder;
    if (number === 0 || !recorder) return undefined;
    const inRecording = recorder.inRecording ? recorder.inRecording(number) : number;
    if (sample) recorder.sample(number, sample);
    recorder.answered(number, outcome);
    return inRecording;
  }

  /** Of what is recorded only where it failed. */
  failed(asked: RecordedText, outcome: Outcome): number | undefined {
    return this.answered(this.#ask(asked), outcome);
  }

  behind(): Promise<void> | undefined {
    return this.#recorder?.behind();
  }

  #ask({ what, text, values, isBeginning }: RecordedText): number {
    const { text: kept, length, sha256 } = text;
    return (
      this.#recorder?.asked({
        what,
        text: kept,
        length: isCut(text) ? length : undefined,
        cut: isBeginning ? true : undefined,
        sha256,
        values: values && values.length > 0 ? values : undefined,
        backend: this.#backend,
      }) ?? 0
    );
  }
}

function isCut({ text, length, sha256 }: StatementText): boolean {
  return sha256 !== undefined || (length > ALWAYS_WHOLE_BYTES && length > Buffer.byteLength(text));
}

/** Of what was prepared before, engines keep so much. */
export function isBeginning(query: string): boolean {
  return query.length === TOLD_CHARACTERS || query.length === SHORT_CHARACTERS;
}
