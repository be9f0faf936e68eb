/** What an engine tells of the statements that pass it, whatever the protocol. */

/** As much of a statement's text as is kept, and what tells it from every other when that is not the whole. */
export interface StatementText {
  text: string;
  /** Of the whole, in bytes. */
  length: number;
  /** Of the whole; only where `text` is not all of it. */
  sha256?: string;
  /** Something was taken out of it: an error may repeat that. */
  hasSecret?: true;
}

/** Of one statement: shown when somebody asks what went wrong, or how much it was. */
export interface Outcome {
  ok: boolean;
  /** What the server calls what it did: `SELECT 5`. */
  tag: string;
  /** As the protocol has it; empty where it went well, or nobody answered. */
  code: string;
  /** In the server's words; why there was no answer, where there was none. */
  error: string;
  rows: number;
  /** Of the answer. */
  bytes: number;
  ms: number;
}

/** The beginning of a result, as text. */
export interface RowSample {
  columns: readonly string[];
  rows: readonly (readonly (string | null)[])[];
  /** There was more of it. */
  isCut: boolean;
}

/** How much of a text is kept for recordings; events show less. */
export const KEPT_TEXT_BYTES = 1024 * 1024;
/** How much of a text is kept until its answer, or for what was prepared with it: usually, and while much is on its way. */
export const TOLD_CHARACTERS = 8_192;
export const SHORT_CHARACTERS = 256;
/** Values that were bound to a statement: so many, so much of each. */
export const MAX_VALUES = 100;
export const MAX_VALUE_CHARACTERS = 256;
export const MAX_BINARY_BYTES = 64;
