/** A request as its handlers see it, and what they make of it: what it touches, and the work itself. */
import type { Claim } from './claims.ts';
import type { Handles } from './handles.ts';
import type { AccountNames } from './long-name.ts';
import type { MessageReader } from './message-reader.ts';

export interface Request {
  id: number;
  body: MessageReader;
  handles: Handles;
  accounts: AccountNames;
}

export interface Work {
  claim: Claim;
  /** Memory its answer may take, reserved before it runs. */
  answerBytes: number;
  run(): Promise<Buffer>;
}

const WHOLE = { from: 0, to: Number.POSITIVE_INFINITY };
const SHORT_ANSWER_BYTES = 1024;

/** Looks at something, changes nothing. */
export function look(run: () => Promise<Buffer>, { file }: { file?: string } = {}): Work {
  return { claim: { changes: false, file, ...WHOLE }, answerBytes: SHORT_ANSWER_BYTES, run };
}

export function change(run: () => Promise<Buffer>, { file }: { file?: string } = {}): Work {
  return { claim: { changes: true, file, ...WHOLE }, answerBytes: SHORT_ANSWER_BYTES, run };
}
