/**
 * Writes .br and .gz beside every text file of a folder, once, so that the gateway never compresses while serving. Most files are the
 * same from one build to the next: what they were compressed to is kept by what they hold.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { ROOT } from './run.mjs';

const TEXT = /\.(js|css|svg|json|wasm|map)$/;
/** Below one network packet compressing saves nothing. */
const WORTH_BYTES = 1400;
/** Whoever changes how it is done changes its name: what was kept under the old one is not found any more. */
const WAYS = {
  br: { name: 'br-11', compress: (content) => brotliCompressSync(content) },
  gz: { name: 'gz-9', compress: (content) => gzipSync(content, { level: 9 }) },
};
const KEPT = join(ROOT, '.cache', 'compressed');

const used = new Set();

function compressFolder(folder) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) compressFolder(path);
    else if (TEXT.test(name)) compressFile(path);
  }
}

function compressFile(path) {
  const content = readFileSync(path);
  if (content.length < WORTH_BYTES) return;
  const hash = createHash('sha256').update(content).digest('hex');
  for (const [ending, way] of Object.entries(WAYS)) writeFileSync(`${path}.${ending}`, compressed(content, hash, way));
}

function compressed(content, hash, { name, compress }) {
  const kept = `${hash}.${name}`;
  used.add(kept);
  try {
    return readFileSync(join(KEPT, kept));
  } catch {
    const bytes = compress(content);
    // Whole or not at all: half a file would be served to everybody from then on.
    const part = join(KEPT, `${kept}.${process.pid}.part`);
    writeFileSync(part, bytes);
    renameSync(part, join(KEPT, kept));
    return bytes;
  }
}

mkdirSync(KEPT, { recursive: true });
compressFolder(process.argv[2]);
// Of builds before this one.
for (const kept of readdirSync(KEPT)) if (!used.has(kept)) rmSync(join(KEPT, kept), { force: true });
