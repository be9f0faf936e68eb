/** What an agent leaves in its data folder about the process that runs on it, for whoever wants to find or stop it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { PROCESS_NAME, readFile } from './data-folder.ts';
import { IDENTITY_NAME } from './identity.ts';

const processNote = z.object({
  pid: z.int().min(2),
  /** When it was started, in ticks since boot: a number alone may be another's by now. */
  since: z.string(),
  gateway: z.string(),
  version: z.string(),
});
export type ProcessNote = z.output<typeof processNote>;

export function processNoteOf(gateway: string, version: string): string {
  return JSON.stringify({
    pid: process.pid,
    since: startOf(process.pid) ?? '',
    gateway,
    version,
  } satisfies ProcessNote);
}

/** The agent that runs on a data folder; undefined when none does. */
export function runningAgent(dataDir: string): ProcessNote | undefined {
  try {
    const note = processNote.parse(JSON.parse(readFile(join(dataDir, PROCESS_NAME)) ?? ''));
    return startOf(note.pid) === note.since ? note : undefined;
  } catch {
    return undefined;
  }
}

export function hasJoined(dataDir: string): boolean {
  return readFile(join(dataDir, IDENTITY_NAME)) !== undefined;
}

function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
