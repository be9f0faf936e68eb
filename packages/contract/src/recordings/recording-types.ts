/** Types of recordings: the session kinds that are recorded. */
import { isRecorded, KINDS, type Kind, kinds } from '../kinds/kinds.ts';

type Kinds = typeof KINDS;

/** As `Recording.kind` and the player's links name it. Sessions of other kinds are told of by the audit log alone. */
export type RecordingType = {
  [K in Kind]: Kinds[K]['recording'] extends 'none' ? never : Kinds[K]['sessionKind'];
}[Kind];

export const RECORDING_TYPES = kinds
  .filter(isRecorded)
  .map((kind) => KINDS[kind].sessionKind) as readonly RecordingType[];

export function isRecordingType(text: string): text is RecordingType {
  return RECORDING_TYPES.some((type) => type === text);
}
