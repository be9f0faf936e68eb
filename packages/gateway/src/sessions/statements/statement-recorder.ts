/** What a session of statements writes while it runs: each that was asked, what came of it, and a beginning of its result where a role says so. */
import type { BegunTogether, Recorder, SessionRecorder } from '../recorder.ts';

export interface AskedStatement {
  /** In the words of its protocol: `query`, `execute`, `SET`; `prepare` for what only makes a statement ready. */
  what: string;
  /** Without secrets. */
  text: string;
  /** Of the whole text in bytes, where not all of it is kept. */
  length?: number | undefined;
  /** Of the whole; not where the text held a secret. */
  sha256?: string | undefined;
  /** Only its beginning is here: what prepared it has the rest. */
  cut?: true | undefined;
  values?: readonly string[] | undefined;
  /** The connection, as the server's own log has it: a session may have several. */
  backend?: number | undefined;
}

export interface AnsweredStatement {
  ok: boolean;
  tag: string;
  code: string;
  error: string;
  rows: number;
  bytes: number;
  ms: number;
}

/** The beginning of a result, as text. */
export interface ResultSample {
  columns: readonly string[];
  /** Null is what the database has for nothing. */
  rows: readonly (readonly (string | null)[])[];
  /** There were more rows, or more of them, than are kept. */
  isCut: boolean;
}

type OfEverySession = 'isOpen' | 'onFailed' | 'onFull' | 'close' | 'release';

export interface StatementRecorder extends Pick<SessionRecorder, OfEverySession> {
  /** Gives its number in the recording. */
  asked(statement: AskedStatement): number;
  answered(number: number, outcome: AnsweredStatement): void;
  sample(number: number, sample: ResultSample): void;
  /** So much is not on disk yet that whoever asks has to wait, until this is settled. */
  behind(): Promise<void> | undefined;
}

/** Where statements are told as they run, whoever keeps them. */
export interface StatementSink extends Pick<StatementRecorder, 'isOpen' | 'asked' | 'answered' | 'sample' | 'behind'> {
  /** Until it is answered. Only where `asked` gives numbers other than those of the recording. */
  inRecording?(number: number): number | undefined;
}

export interface StatementRecorders extends Recorder<StatementRecorder>, BegunTogether {}
