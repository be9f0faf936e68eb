/** Says in a transaction what it changed; everyone who follows the topic hears it after the commit, or never. */
import { writeJson } from '../storage/json.ts';
import type { Tx } from '../storage/tables.ts';
import { type LastWriter, writeLast } from '../storage/write-last.ts';

/** Changes are notices, not copies: a follower reads the thing itself. */
const MAX_DATA_CHARACTERS = 4_096;

export interface NewChange {
  /** What sort of thing changed: `alert`, `user`, `lock`. */
  topic: string;
  /** Which one. */
  id: string;
  /** A little more, where following would cost a read each time. */
  data?: unknown;
}

export async function publish(tx: Tx, ...changes: readonly NewChange[]): Promise<void> {
  await writeLast(tx, notices, changes.map(toRow));
}

const notices: LastWriter<ReturnType<typeof toRow>> = {
  order: 1,
  compile: (tx, rows) =>
    tx
      .insertInto('change')
      .values([...rows])
      .compile(),
};

function toRow({ topic, id, data }: NewChange) {
  const text = data === undefined ? null : writeJson(data);
  if (text !== null && text.length > MAX_DATA_CHARACTERS) {
    throw new Error(
      `a change of '${topic}' carries ${text.length} characters; at most ${MAX_DATA_CHARACTERS} may travel`,
    );
  }
  return { topic, id, data: text };
}
