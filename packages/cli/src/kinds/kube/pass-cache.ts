/**
 * Passes for Kubernetes clusters as this user's commands keep them. Nothing but Node is imported: every `kubectl` waits for what reads
 * them here.
 */
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

export interface KeptPass {
  token: string;
  /** By the clock of this machine. */
  given: number;
  /** From when on another one is asked for. */
  until: number;
}

/** Whose pass, at which gateway, for what. */
export interface PassOwner {
  origin: string;
  /** What this command line shows the gateway: whoever signs in again has another, and passes of the old one are worth nothing. */
  credential: string;
  name: string;
  /** A leaf of the gateway, which has it. */
  cluster?: string;
}

type Env = Record<string, string | undefined>;

const OWN_ONLY = 0o600;
/** Whom it was handed to: longer lists begin anew. */
const MAX_HANDED_BYTES = 64 * 1024;
/** No pass lives longer: what is older belongs to nobody. */
const MAX_AGE_MS = 2 * 60 * 60_000;
/** Whoever holds the lock for longer was stopped, or has had its number given to another process. */
const MAX_LOCK_MS = 240_000;
/** Between making the file and writing in it. */
const MAX_EMPTY_MS = 2_000;

export function passFolder(env: Env): string {
  return join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'gatehouse', 'kube');
}

/** Of two users of one machine's account, each has their own. */
export function passFile(env: Env, { origin, credential, name, cluster }: PassOwner): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([origin, credential, name, ...(cluster === undefined ? [] : [cluster])]))
    .digest('hex')
    .slice(0, 24);
  return join(passFolder(env), `${hash}.json`);
}

/** Undefined where there is none, or none that is worth a try. */
export function readPass(file: string, now: number): KeptPass | undefined {
  let found: unknown;
  try {
    found = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
  if (typeof found !== 'object' || found === null) return undefined;
  const { token, given, until } = found as Partial<Record<keyof KeptPass, unknown>>;
  if (typeof token !== 'string' || typeof given !== 'number' || typeof until !== 'number') return undefined;
  // A clock that was set back makes no pass younger than it was.
  return given <= now && now < until ? { token, given, until } : undefined;
}

/** In one step: another command must never read half of it. In vain where the folder cannot be written: the next one asks again. */
export function keepPass(file: string, pass: KeptPass): void {
  try {
    writePass(file, pass);
  } catch {
    return;
  }
}

function writePass(file: string, pass: KeptPass): void {
  const folder = dirname(file);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const fresh = `${file}.${process.pid}`;
  writeFileSync(fresh, JSON.stringify(pass), { mode: OWN_ONLY });
  chmodSync(fresh, OWN_ONLY);
  rmSync(handedFile(file), { force: true });
  renameSync(fresh, file);
  sweep(folder, pass.given);
}

export function forgetPass(file: string): void {
  for (const each of [file, handedFile(file)]) rmSync(each, { force: true });
}

/** Of sign-ins that are no more. */
function sweep(folder: string, now: number): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    try {
      if (now - statSync(file).mtimeMs > MAX_AGE_MS) rmSync(file, { force: true });
    } catch {
      // Somebody else's sweep was here first.
    }
  }
}

const handedFile = (file: string) => file.replace(/\.json$/, '.handed');

/** Whether this pass was handed to that process before. */
export function wasHandedTo(file: string, pid: number): boolean {
  try {
    return readFileSync(handedFile(file), 'latin1').split('\n').includes(String(pid));
  } catch {
    return false;
  }
}

/** In vain where the folder cannot be written: the pass is good all the same. */
export function noteHanded(file: string, pid: number): void {
  const handed = handedFile(file);
  try {
    if ((statSync(handed, { throwIfNoEntry: false })?.size ?? 0) > MAX_HANDED_BYTES) rmSync(handed, { force: true });
    appendFileSync(handed, `${pid}\n`, { mode: OWN_ONLY });
  } catch {
    return;
  }
}

/** What came of asking the gateway, for those who wait for it. */
export interface PassFailure {
  message: string;
  /** Of the exit. */
  code: number;
  /** Somebody was asked, and it is their answer: who waited for it does not ask them again. */
  isAnswer?: boolean;
}

const failedFile = (file: string) => file.replace(/\.json$/, '.failed');

/** Forty that wait must not each wait for a gateway that does not answer. */
export function noteFailure(file: string, failure: PassFailure): void {
  try {
    writeFileSync(failedFile(file), JSON.stringify({ ...failure, at: Date.now() }), { mode: OWN_ONLY });
  } catch {
    return;
  }
}

export function failureSince(file: string, begun: number): PassFailure | undefined {
  let found: unknown;
  try {
    found = JSON.parse(readFileSync(failedFile(file), 'utf8'));
  } catch {
    return undefined;
  }
  const { message, code, at, isAnswer } = (found ?? {}) as Partial<Record<keyof PassFailure | 'at', unknown>>;
  if (typeof message !== 'string' || typeof code !== 'number' || typeof at !== 'number') return undefined;
  return at > begun ? { message, code, ...(isAnswer === true ? { isAnswer } : {}) } : undefined;
}

const questionFile = (file: string) => file.replace(/\.json$/, '.question');

/** What whoever has the lock asks somebody for: those who wait show it too, as that one may be a program nobody looks at. */
export function noteQuestion(file: string, text: string): void {
  try {
    writeFileSync(questionFile(file), JSON.stringify({ text, by: process.pid }), { mode: OWN_ONLY });
  } catch {
    return;
  }
}

/** To be called while the lock is waited for; tells each question once. */
export function questionTeller(file: string, tell: (text: string) => void): () => void {
  let told: string | undefined;
  return () => {
    let found: unknown;
    try {
      found = JSON.parse(readFileSync(questionFile(file), 'utf8'));
    } catch {
      return;
    }
    const { text, by } = (found ?? {}) as Partial<Record<'text' | 'by', unknown>>;
    // Of one that is gone nobody waits for the answer.
    if (typeof text !== 'string' || text === told || by !== holderOf(lockFile(file))) return;
    told = text;
    tell(text);
  };
}

export interface PassLock {
  release(): void;
}

const lockFile = (file: string) => file.replace(/\.json$/, '.lock');

/** Where nothing can be kept nobody waits for another: each asks for itself. */
const NO_LOCK: PassLock = { release() {} };

/**
 * Undefined while another command has it; who has it already has it again. Who was killed has it no more: its number stands in it. Two
 * that find it left behind may both have it then, and each asks for a pass: no harm is done by two.
 */
export function takeLock(file: string): PassLock | undefined {
  const lock = lockFile(file);
  const own = {
    release() {
      // Unless it was taken for one that was left behind.
      if (holderOf(lock) === process.pid) rmSync(lock, { force: true });
    },
  };
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    for (let tries = 0; tries < 3; tries += 1) {
      if (makeLock(lock)) return own;
      if (holderOf(lock) === process.pid) return own;
      if (!isLeftBehind(lock)) return undefined;
      setAside(lock);
    }
    return undefined;
  } catch {
    return NO_LOCK;
  }
}

function makeLock(lock: string): boolean {
  let descriptor: number;
  try {
    descriptor = openSync(lock, 'wx', OWN_ONLY);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  writeSync(descriptor, String(process.pid));
  closeSync(descriptor);
  return true;
}

/** Only one of those who find it left behind takes it away. */
function setAside(lock: string): void {
  const aside = `${lock}.${process.pid}`;
  try {
    renameSync(lock, aside);
  } catch {
    return;
  }
  rmSync(aside, { force: true });
}

function holderOf(lock: string): number | undefined {
  try {
    return Number(readFileSync(lock, 'latin1')) || undefined;
  } catch {
    return undefined;
  }
}

function isLeftBehind(lock: string): boolean {
  const found = statSync(lock, { throwIfNoEntry: false });
  if (!found) return true;
  const age = Date.now() - found.mtimeMs;
  const holder = holderOf(lock);
  if (holder === undefined) return age > MAX_EMPTY_MS;
  return age > MAX_LOCK_MS || !isAlive(holder);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
