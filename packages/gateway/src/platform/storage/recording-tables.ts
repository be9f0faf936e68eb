/** Recordings as Kysely sees them: what became of each, not what is in them. */
import type { Generated } from 'kysely';

export interface RecordingTables {
  recording: RecordingTable;
}

interface RecordingTable {
  /** Of the session. */
  sid: string;
  /** One of RECORDING_STATES. */
  state: string;
  /** One of GAP_CAUSES: why coverage counts it as missing; empty when it does not. */
  gap: string;
  /** For people. */
  reason: string;
  bytes: number;
  duration_ms: number;
  /** When the file last changed, as its store tells: looked at again when it is another. */
  changed: number;
  /** When it was last looked at; 0: not since the session ended. */
  checked: number;
  /** Where its file ended when it was last sealed or handed on, and the hash of the frame there. */
  mark_end: Generated<number>;
  mark_hash: Generated<string>;
  /** Names the gateway in whose folder that is. */
  mark_place: Generated<string>;
  /** What was found wrong with it while its session went on; stays whatever is found later. */
  finding: Generated<string>;
}
