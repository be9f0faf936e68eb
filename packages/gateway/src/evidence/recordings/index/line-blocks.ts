/** Lines as they are stored for searching: blocks of some lines each, a time and a text in every row. */
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { cutWords } from '../../../platform/storage/event-words.ts';
import type { SeenLine } from './line-collector.ts';

const BLOCK_LINES = 64;
const BLOCK_CHARACTERS = 4_096;
const MAX_BLOCK_BYTES = 1024 * 1024;
/** Ids of blocks leave room for this many a recording. */
export const MAX_BLOCKS = 4_095;

export function toBlocks(lines: readonly SeenLine[]): string[] {
  const blocks: string[] = [];
  let rows: string[] = [];
  let characters = 0;
  for (const { ms, text } of lines) {
    rows.push(`${ms}\t${clean(text)}`);
    characters += text.length;
    if (rows.length < BLOCK_LINES && characters < BLOCK_CHARACTERS) continue;
    blocks.push(rows.join('\n'));
    rows = [];
    characters = 0;
  }
  if (rows.length > 0) blocks.push(rows.join('\n'));
  return blocks;
}

export function linesOf(block: string): SeenLine[] {
  return block.split('\n').map((row) => {
    const tab = row.indexOf('\t');
    return { ms: Number(row.slice(0, tab)), text: row.slice(tab + 1) };
  });
}

/** As it is stored, with the words it is found by. */
export interface StoredBlock {
  lines: Uint8Array;
  words: string[];
}

export function packBlock(block: string): StoredBlock {
  const words = new Set<string>();
  for (const { text } of linesOf(block)) for (const word of cutWords(text)) words.add(word);
  return { lines: new Uint8Array(zstdCompressSync(block)), words: [...words] };
}

export function unpackLines(lines: Uint8Array): SeenLine[] {
  return linesOf(zstdDecompressSync(lines, { maxOutputLength: MAX_BLOCK_BYTES }).toString('utf8'));
}

/** Cells hold no control characters; should one get in, it must not look like another row. */
function clean(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, ' ').replaceAll(/[\ud800-\udfff]/gu, '\ufffd');
}
