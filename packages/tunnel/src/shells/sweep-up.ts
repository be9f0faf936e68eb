/**
 * Frees what streams leave behind before the engine would. Bytes that native code hands over (sockets, ciphers) lie outside of
 * its heap: it sees some 64 MB of them pile up and then looks through the whole heap of the program to find them, which costs
 * more than the stream itself. They are all young, and a look at the young ones takes a millisecond.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Each byte that is printed leaves about four behind on its way. After more than this others would feel how long it takes. */
const ENOUGH_BYTES = 2 * 1024 * 1024;
/** Seldom enough that nothing is still under way the second time: then it would count as old. */
const APART_MS = 100;
const MOST_BYTES = 16 * 1024 * 1024;

// Even so some are still under way when the young are looked at, and count as old. Without this each 64 MB of those mean a look
// through the whole heap, on all cores; with it they count like the rest of the heap. An engine that does not know it goes on.
setFlagsFromString('--external-memory-accounted-in-global-limit');

let sweep: (() => void) | undefined;
let passed = 0;
let last = 0;

/** Call it for bytes that pass through. */
export function sweepUpAfter(bytes: number): void {
  passed += bytes;
  if (passed < ENOUGH_BYTES) return;
  const now = performance.now();
  if (passed < MOST_BYTES && now - last < APART_MS) return;
  passed = 0;
  last = now;
  sweep ??= findSweep();
  sweep();
}

function findSweep(): () => void {
  try {
    setFlagsFromString('--expose-gc');
    const collect: unknown = runInNewContext('globalThis.gc');
    setFlagsFromString('--no-expose-gc');
    if (typeof collect === 'function') return () => void collect({ type: 'minor' });
  } catch {
    // An engine without it cleans up by itself, only later.
  }
  return () => {};
}
