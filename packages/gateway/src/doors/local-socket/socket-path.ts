/** Where the socket of a data folder lies. A path too long for the kernel is replaced by a short one, noted in the folder. */
import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartError } from '../../platform/std/start-error.ts';

const SOCKET_NAME = 'gatehouse.sock';
const NOTE_NAME = 'gatehouse.sock.path';
/** sun_path has 108 bytes with its closing zero; Node cuts a longer path silently and listens somewhere else. */
const MAX_PATH_BYTES = 107;

/** The path to listen on; its folder exists and belongs to this user alone. */
export function chooseSocketPath(dataFolder: string): string {
  const dataDir = realpathSync(dataFolder);
  const note = join(dataDir, NOTE_NAME);
  const direct = join(dataDir, SOCKET_NAME);
  if (fits(direct)) {
    ownFolder(dataDir);
    rmSync(note, { force: true });
    return direct;
  }
  const name = `${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}.sock`;
  for (const parent of runtimeParents()) {
    const folder = join(parent, `gatehouse-${userId()}`);
    if (!fits(join(folder, name))) continue;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    ownFolder(folder);
    writeFileSync(note, `${join(folder, name)}\n`, { mode: 0o600 });
    return join(folder, name);
  }
  throw new StartError(`the data folder '${dataDir}' has too long a path for a local socket: choose a shorter one`);
}

/** The path a client of this data folder connects to, whether or not somebody listens there. */
export function findSocketPath(dataDir: string): string {
  try {
    return readFileSync(join(dataDir, NOTE_NAME), 'utf8').trim();
  } catch {
    return join(dataDir, SOCKET_NAME);
  }
}

/** Throws unless the socket is the folder owner's, ours or root's: under a shared folder somebody else may have put one there. */
export function checkSocketOwner(path: string, dataDir: string): void {
  const trusted = [0, userId(), statSync(dataDir).uid];
  if (!trusted.includes(lstatSync(path).uid)) throw new Error(`the socket '${path}' belongs to another user`);
}

export function userId(): number {
  return process.getuid?.() ?? 0;
}

function fits(path: string): boolean {
  return Buffer.byteLength(path) <= MAX_PATH_BYTES;
}

/** The user's own runtime folder where the system has one, otherwise the shared temporary folders. */
function runtimeParents(): string[] {
  const own = `/run/user/${userId()}`;
  const folder = lstatSync(own, { throwIfNoEntry: false });
  return [...(folder?.isDirectory() && folder.uid === userId() ? [own] : []), tmpdir(), '/tmp'];
}

/**
 * Others are shut out by the folder, also in the instant between making the socket and setting its mode. A volume that
 * belongs to root and is lent to us by group is taken as it is; the socket's own mode holds there.
 */
function ownFolder(folder: string): void {
  const { uid, mode } = lstatSync(folder);
  const us = userId();
  if (lstatSync(folder).isSymbolicLink()) throw refusal(folder, 'is a link');
  if (uid !== us && uid !== 0 && us !== 0) throw refusal(folder, 'belongs to another user');
  if ((mode & 0o077) !== 0 && (uid === us || us === 0)) chmodSync(folder, 0o700);
}

function refusal(folder: string, reason: string): StartError {
  return new StartError(`no local socket can be made: the folder '${folder}' ${reason}`);
}
