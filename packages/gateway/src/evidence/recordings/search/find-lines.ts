/** Finds a text among the lines that were on the screen of one recording. */
import type { Db } from '../../../platform/storage/tables.ts';
import { findIndexRow, readBlocks } from '../index/index-store.ts';
import { unpackLines } from '../index/line-blocks.ts';
import { type Mark, matchText } from './match-line.ts';

export interface Hit {
  ms: number;
  line: string;
  marks: Mark[];
}

const MAX_HITS = 500;
const BLOCKS = 128;

export async function findLines(db: Db, sid: string, text: string): Promise<{ hits: Hit[]; complete: boolean }> {
  const row = await findIndexRow(db, sid);
  if (!row) return { hits: [], complete: false };
  const hits: Hit[] = [];
  for (let from = 0; ; from += BLOCKS) {
    const blocks = await readBlocks(db, row.number, from, BLOCKS);
    for (const { lines } of blocks) {
      for (const { ms, text: line } of unpackLines(lines)) {
        const marks = matchText(line, text);
        if (marks.length > 0) hits.push({ ms, line, marks });
      }
    }
    if (blocks.length < BLOCKS || hits.length > MAX_HITS) break;
  }
  const complete = row.complete === 1 && row.lines_complete === 1 && hits.length <= MAX_HITS;
  return { hits: hits.sort((a, b) => a.ms - b.ms).slice(0, MAX_HITS), complete };
}
