/** Writes .br and .gz beside every text file of a folder, once, so that the gateway never compresses while serving. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const TEXT = /\.(js|css|svg|json|wasm|map)$/;
/** Below one network packet compressing saves nothing. */
const WORTH_BYTES = 1400;

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
  writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
  writeFileSync(`${path}.br`, brotliCompressSync(content));
}

compressFolder(process.argv[2]);
