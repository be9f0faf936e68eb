/** What was on the screens of recordings, as Kysely sees it: made from the recordings, and made again from them when it is lost. */
import type { ColumnType, Generated } from 'kysely';

export interface RecordingIndexTables {
  recording_index: RecordingIndexTable;
  recording_block: RecordingBlockTable;
  recording_words: RecordingWordsTable;
}

interface RecordingIndexTable {
  /** Ids of its blocks begin with it. */
  number: Generated<number>;
  sid: string;
  version: number;
  /** Blocks of lines that are stored. */
  blocks: number;
  /** All of an ended recording has been read. */
  complete: number;
  /** No line was left out. */
  lines_complete: number;
  /** Bytes of the file that were there when it was read last. */
  bytes: number;
  indexed: number;
  /** Tries that failed one after the other. */
  failures: number;
  /** Until then a gateway is at it. */
  lease: number;
}

interface RecordingBlockTable {
  /** The number of the recording times 4096, and the block's own. */
  id: number;
  /** Compressed. */
  lines: Uint8Array;
  /** PostgreSQL only: what `recording_words` is in SQLite. */
  words: ColumnType<never, unknown, never>;
}

/** SQLite only: a full-text index whose rows are the blocks. */
interface RecordingWordsTable {
  rowid: number;
  words: string;
}
