/** Tells whether something that was built is older than what it was built from. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './run.mjs';

/** Whether `product` is missing or older than any file below the given sources. */
export function isStale(product, sources) {
  let built;
  try {
    built = statSync(join(ROOT, product)).mtimeMs;
  } catch {
    return true;
  }
  return sources.some((source) => newest(join(ROOT, source)) > built);
}

function newest(path) {
  const found = statSync(path);
  if (!found.isDirectory()) return found.mtimeMs;
  // A folder's own time tells of files that were removed.
  return readdirSync(path)
    .filter((name) => name !== 'node_modules' && name !== 'dist')
    .reduce((latest, name) => Math.max(latest, newest(join(path, name))), found.mtimeMs);
}
