/** Types of recordings: the session kinds that are recorded. */
import { KINDS, type Kind, kinds } from '../kinds/kinds.ts';

type Kinds = typeof KINDS;

/** As `Recording.kind` and the player's links name it. Sessions of other kinds are told of by the audit log alone. */
export type RecordingType = {
  [K in Kind]: Kinds[K]['recorded'] extends true ? Kinds[K]['sessionKind'] : never;
}[Kind];

export const RECORDING_TYPES: readonly RecordingType[] = kinds
  .map((kind) => KINDS[kind])
  .filter((facts) => facts.recorded)
  .map((facts) => facts.sessionKind);

export function isRecordingType(text: string): text is RecordingType {
  return RECORDING_TYPES.some((type) => type === text);
}
