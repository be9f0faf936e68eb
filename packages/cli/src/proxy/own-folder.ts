/** A folder that nobody else on this machine can open, for sockets: who reaches one comes through as its owner. */
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Io } from '../command.ts';
import { Failure } from '../runtime/failure.ts';

/** What `sun_path` holds on the smallest system, without its last zero. */
const MAX_PATH_BYTES = 103;

/**
 * The same for the same choice each time, so that programs can be told once. Another choice has another folder: a program that was
 * told one must never come out as somebody else.
 */
export function socketFolder(io: Io, name: string, choice: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(choice)).digest('hex').slice(0, 12);
  return ownFolder(join(ownFolder(baseOf(io)), fits(`${name}-${hash}`) ? `${name}-${hash}` : hash));
}

const fits = (name: string) => Buffer.byteLength(name) <= 50;

/** Of a socket that the last run left behind; one that somebody answers at is not touched. */
export async function clearSocket(path: string): Promise<void> {
  if (Buffer.byteLength(path) > MAX_PATH_BYTES)
    throw new Failure(
      'failed',
      `'${path}' is too long for a socket: set XDG_RUNTIME_DIR to a shorter folder, or give --listen`,
    );
  const isAnswered = await new Promise<boolean>((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
  if (isAnswered) throw new Failure('failed', `it is led to from '${path}' already: end that first, or give --listen`);
  rmSync(path, { force: true });
}

function baseOf({ env }: Io): string {
  const uid = process.getuid?.() ?? 0;
  return env.XDG_RUNTIME_DIR ? join(env.XDG_RUNTIME_DIR, 'gatehouse') : join(tmpdir(), `gatehouse-${uid}`);
}

/** A folder that somebody else has put there, or a link to one, would hand them every connection. */
function ownFolder(path: string): string {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const found = lstatSync(path);
  if (found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0) return path;
  throw new Failure('failed', `others can open '${path}': remove it, set XDG_RUNTIME_DIR, or give --listen`);
}
