/** Ends everything that runs on one terminal: by hanging up, and after a while by force. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const KILL_AFTER_MS = 5_000;
const LOOK_EVERY_MS = 50;

interface Found {
  pid: number;
  /** When it was started, in ticks since boot: a number that was given to a stranger meanwhile has another. */
  since: string;
}

export interface Terminal {
  /** `/dev/pts/3` */
  device: string;
  /** Once it is closed its number may be another's. */
  readonly isOpen: boolean;
  /** The first process on it. */
  pid: number;
}

/** Resolves when nothing of it is left, or what is left has been killed. */
export async function hangUp(terminal: Terminal, { killAfterMs = KILL_AFTER_MS } = {}): Promise<void> {
  const told: Found[] = [];
  const deadline = performance.now() + killAfterMs;
  for (;;) {
    // A shell that was just being started does not exist yet when its terminal is hung up.
    const fresh = processesOf(terminal).filter(
      ({ pid, since }) => !told.some((old) => old.pid === pid && old.since === since),
    );
    signalAll(fresh, 'SIGHUP');
    // A stopped program takes its signal only when it goes on.
    signalAll(fresh, 'SIGCONT');
    told.push(...fresh);
    if (!told.some(isAlive)) return;
    if (performance.now() >= deadline) break;
    await sleep(LOOK_EVERY_MS);
  }
  signalAll(told.filter(isAlive), 'SIGKILL');
}

/** The first one also by its number: for an instant after its birth it has no terminal yet. */
function processesOf({ device, isOpen, pid }: Terminal): Found[] {
  if (!isOpen) return [];
  const first = factsOf(pid);
  const others = processesOn(device).filter((found) => found.pid !== pid);
  return first ? [{ pid, since: first.since }, ...others] : others;
}

/**
 * By controlling terminal, not by number of a session or group: a number can be given to a stranger once its owner has gone,
 * the terminal cannot while we hold it open.
 */
export function processesOn(device: string): Found[] {
  const terminal = statSync(device, { throwIfNoEntry: false })?.rdev;
  if (terminal === undefined) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const facts = factsOf(Number(pid));
      return facts?.terminal === terminal ? [{ pid: Number(pid), since: facts.since }] : [];
    });
}

function isAlive({ pid, since }: Found): boolean {
  return factsOf(pid)?.since === since;
}

function signalAll(found: readonly Found[], signal: NodeJS.Signals): void {
  for (const { pid } of found) {
    try {
      process.kill(pid, signal);
    } catch {
      // Gone meanwhile, or of a user this agent has no power over.
    }
  }
}

export function factsOf(pid: number): { group: number; terminal: number; since: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The program's name stands in brackets and may hold anything, brackets and spaces included.
    const [state, , group, , terminal, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // Ended, and only its parent has not looked yet.
    if (state === 'Z' || state === 'X') return undefined;
    return { group: Number(group), terminal: Number(terminal), since: rest[14] ?? '' };
  } catch {
    return undefined;
  }
}
