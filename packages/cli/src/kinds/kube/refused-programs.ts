/**
 * Programs whose question for a second factor was denied, or not answered in time. They run the plugin again for each of their requests,
 * five times and more: without this each would show another link, and wait for it. Nothing but Node is imported.
 */
import { appendFileSync, readFileSync, rmSync, statSync } from 'node:fs';
import { askingProgram } from './asking-program.ts';
import type { PassFailure } from './pass-cache.ts';

const OWN_ONLY = 0o600;
/** Longer than a program tries, and shorter than numbers of processes take to come again. */
const MAX_AGE_MS = 5 * 60_000;
const MAX_BYTES = 64 * 1024;

/** Undefined: nobody that would ask again by itself, such as a shell. */
export function programThatAsks(env: Record<string, string | undefined>, parent: number): number | undefined {
  return env.KUBERNETES_EXEC_INFO === undefined ? undefined : askingProgram(parent);
}

const refusedFile = (file: string) => file.replace(/\.json$/, '.refused');

export function noteRefused(file: string, program: number | undefined, failure: PassFailure): void {
  if (program === undefined) return;
  const refused = refusedFile(file);
  try {
    if ((statSync(refused, { throwIfNoEntry: false })?.size ?? 0) > MAX_BYTES) rmSync(refused, { force: true });
    const { message, code } = failure;
    appendFileSync(refused, `${JSON.stringify({ program, at: Date.now(), message, code })}\n`, { mode: OWN_ONLY });
  } catch {
    return;
  }
}

/** What it was told before. */
export function refusalOf(file: string, program: number | undefined): PassFailure | undefined {
  if (program === undefined) return undefined;
  try {
    return readFileSync(refusedFile(file), 'utf8').split('\n').map(readLine).findLast(isOfProgram(program));
  } catch {
    return undefined;
  }
}

interface Refused extends PassFailure {
  program: number;
  at: number;
}

function readLine(line: string): Refused | undefined {
  if (line === '') return undefined;
  const { program, at, message, code } = (JSON.parse(line) ?? {}) as Partial<Record<keyof Refused, unknown>>;
  if (typeof program !== 'number' || typeof at !== 'number') return undefined;
  return typeof message === 'string' && typeof code === 'number' ? { program, at, message, code } : undefined;
}

const isOfProgram = (program: number) => (each: Refused | undefined) => {
  const age = each ? Date.now() - each.at : MAX_AGE_MS;
  return each?.program === program && age >= 0 && age < MAX_AGE_MS;
};
