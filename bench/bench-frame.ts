/** The frame of a benchmark with a world around it: the phases one after the other, what each found, and a status that tells whether all was well. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let failed = 0;

export function verdict(text: string, isGood: boolean): void {
  if (!isGood) {
    failed += 1;
    process.exitCode = 1;
  }
  console.log(`${isGood ? 'ok  ' : 'MISS'} ${text}`);
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Ends the process. `start` is given a folder that is gone afterwards. */
export async function runPhases<World extends { close(): Promise<void> }>(
  name: string,
  start: (folder: string) => Promise<World>,
  phases: readonly ((world: World) => Promise<void>)[],
): Promise<never> {
  const folder = mkdtempSync(join(tmpdir(), `gatehouse-${name}-bench-`));
  let world: World | undefined;
  try {
    world = await start(folder);
    for (const phase of phases) await phase(world);
  } finally {
    await world?.close();
    rmSync(folder, { recursive: true, force: true });
  }
  process.exit(failed > 0 ? 1 : 0);
}
