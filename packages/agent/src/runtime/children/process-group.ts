/** Signals for a process group that we started, and its end: gently, then by force. */
import { readdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { factsOf } from './hang-up.ts';

const KILL_AFTER_MS = 5_000;
const LOOK_EVERY_MS = 50;
/** For whoever is to be signalled to be started: a signal may come right behind the command. */
const TRY_MS = 1_000;

export interface ProcessGroup {
  /** Its number, that of its first process. */
  id: number;
  /** Its first process has been waited for: whoever bears the number now is a stranger, and so is the group. */
  isReaped(): boolean;
  /** The first process only watches over the others: signals make it speak, and end them its own way. */
  isWatched: boolean;
}

/** Resolves when it was given to everybody, or there is nobody. */
export async function signalGroup(group: ProcessGroup, signal: NodeJS.Signals): Promise<void> {
  if (!group.isWatched || signal === 'SIGKILL' || isBlockedBy(group.id, signal)) return void signalAll(group, signal);
  const told = new Set<number>([group.id]);
  const deadline = performance.now() + TRY_MS;
  while (isOurs(group)) {
    const fresh = membersOf(group.id).filter((pid) => !told.has(pid));
    for (const pid of fresh) {
      told.add(pid);
      sendSignal(pid, signal);
    }
    // One that was just being started is found by the next look.
    if (told.size > 1 && fresh.length === 0) return;
    if (group.isReaped() || performance.now() >= deadline) return;
    await sleep(LOOK_EVERY_MS);
  }
}

/** Resolves when nothing of it is left, or what is left has been killed. */
export async function hangUpGroup(group: ProcessGroup, { killAfterMs = KILL_AFTER_MS } = {}): Promise<void> {
  const deadline = performance.now() + killAfterMs;
  // One that only watches ignores it, and ends with the others.
  signalAll(group, 'SIGHUP');
  // A stopped program takes its signal only when it goes on.
  signalAll(group, 'SIGCONT');
  while (isThere(group)) {
    if (performance.now() >= deadline) {
      signalAll(group, 'SIGKILL');
      return;
    }
    await sleep(LOOK_EVERY_MS);
  }
}

function signalAll(group: ProcessGroup, signal: NodeJS.Signals): void {
  if (isOurs(group)) sendSignal(-group.id, signal);
}

function isThere(group: ProcessGroup): boolean {
  if (!isOurs(group)) return false;
  try {
    process.kill(-group.id, 0);
    // What has ended and was not waited for still counts there.
    return membersOf(group.id).length > 0;
  } catch {
    return false;
  }
}

/** A number is not given away while a group bears it: who is there under it after ours was waited for found it free. */
function isOurs({ id, isReaped }: ProcessGroup): boolean {
  return !isReaped() || factsOf(id) === undefined;
}

/** Given to all at once it cannot miss a process that is just being started, nor meet a shell without what that waits for. */
function isBlockedBy(pid: number, signal: NodeJS.Signals): boolean {
  try {
    const [, mask = ''] = /^SigBlk:\s*([0-9a-f]{16})$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
    return ((BigInt(`0x${mask}`) >> BigInt(constants.signals[signal] - 1)) & 1n) === 1n;
  } catch {
    return false;
  }
}

function membersOf(group: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => factsOf(pid)?.group === group);
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone meanwhile, or of a user this agent has no power over.
  }
}
