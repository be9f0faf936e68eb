/**
 * Frees what streams leave behind before the engine would. Bytes that native code hands over (sockets, ciphers) lie outside of
 * its heap: it sees some 64 MB of them pile up and then looks through the whole heap of the program to find them, which costs
 * more than the stream itself. They are all young, and a look at the young ones takes a millisecond.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Each byte that is printed leaves about four behind on its way. After more than this others would feel how long it takes. */
const ENOUGH_BYTES = 2 * 1024 * 1024;
/** In a large heap: seldom enough that nothing is still under way the second time, as it would count as old then. */
const APART_MS = 100;
const MAX_BYTES = 16 * 1024 * 1024;

/** How much the heap may grow, in percent, before it is looked through, while bytes pass; 0 leaves it to the engine. */
const GROWTH_PERCENT = 400;
const CALM_MS = 5_000;

let isLarge = false;
let calm: NodeJS.Timeout | undefined;
let sweep: (() => void) | undefined;
let passed = 0;
let last = 0;

/**
 * For a process with a large heap and many streams: a gateway. There some bytes are still under way whenever the young are
 * looked at, and each 64 MB of those mean a look through the whole heap, on all cores; from now on they count like the rest of
 * the heap. In the small heap of an agent that would be worse: what leads to a look there is then 10 MB. An engine that does not
 * know the flag goes on.
 */
export function collectLargeHeap(): void {
  isLarge = true;
  setFlagsFromString('--external-memory-accounted-in-global-limit');
}

/** Call it for bytes that pass through. */
export function collectAfter(bytes: number): void {
  passed += bytes;
  if (passed < ENOUGH_BYTES) return;
  const now = performance.now();
  if (isLarge && passed < MAX_BYTES && now - last < APART_MS) return;
  passed = 0;
  last = now;
  if (isLarge) letGrow();
  sweep ??= findSweep();
  sweep();
}

/**
 * Sweeping while the engine looks through the whole heap makes it finish that look at once, 50 ms in which nobody's key is
 * echoed; and of itself it would begin one for each 20 MB that pass.
 */
function letGrow(): void {
  if (calm) {
    calm.refresh();
    return;
  }
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  calm = setTimeout(() => {
    calm = undefined;
    setFlagsFromString('--heap-growing-percent=0');
  }, CALM_MS).unref();
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
