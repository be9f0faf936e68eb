/** Lets a client wait while what it did is not written yet: nothing passes faster than it is told. */
import type { Flow } from './flow.ts';
import type { WrittenBehind } from './passed-on.ts';

export function waitForTelling(teller: WrittenBehind, flow: Pick<Flow, 'halt' | 'resume'>): void {
  const written = teller.behind?.();
  if (!written) return;
  flow.halt();
  void written.then(() => flow.resume());
}
