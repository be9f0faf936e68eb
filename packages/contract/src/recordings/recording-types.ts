/** Types of recordings: the session kinds that are recorded, and what each is drawn as. */
import { factsOf, type KINDS, type Kind, kindOfSession, kinds } from '../kinds/kinds.ts';

type Rows = typeof KINDS;

/** As `Recording.kind` and the player's links name it. Of other sessions only the audit log tells. */
export type RecordingType = {
  [K in Kind]: Rows[K]['recording'] extends 'none' ? never : Rows[K]['sessionKind'];
}[Kind];

/** What a recording shows: the renderer of the player is chosen by it. */
export type Recorded = Exclude<ReturnType<typeof factsOf>['recording'], 'none'>;

export const RECORDING_TYPES: readonly RecordingType[] = kinds
  .map((kind) => factsOf(kind).sessionKind)
  .filter((type): type is RecordingType => recordedAs(type) !== undefined);

export function isRecordingType(text: string): text is RecordingType {
  return recordedAs(text) !== undefined;
}

/** Nothing for what is never recorded. */
export function recordedAs(type: string): Recorded | undefined {
  const kind = kindOfSession(type);
  const recording = kind === undefined ? 'none' : factsOf(kind).recording;
  return recording === 'none' ? undefined : recording;
}
