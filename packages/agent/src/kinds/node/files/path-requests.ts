/** Requests about files by their path: look, change, move, link, remove. */
import {
  chmod,
  chown,
  link,
  lstat,
  readlink,
  realpath,
  rename,
  stat,
  symlink,
  truncate,
  unlink,
  utimes,
} from 'node:fs/promises';
import { STATUS } from '@gatehouse/contract/kinds/node/files/sftp';
import { attributesAnswer, extendedAnswer, namesAnswer, okAnswer } from './answers.ts';
import { readAttributes, type WantedAttributes } from './attributes.ts';
import { removeTree } from './remove-tree.ts';
import { change, look, type Request, type Work } from './request.ts';
import { codeOf, SftpFailure } from './sftp-failure.ts';

const SLASH = 0x2f;
/** What file systems answer that cannot link, or not this. */
const NO_LINKS = ['EPERM', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV', 'EMLINK'];

export function statPath({ id, body }: Request): Work {
  const path = body.path();
  return look(async () => attributesAnswer(id, await stat(path)));
}

export function statLink({ id, body }: Request): Work {
  const path = body.path();
  return look(async () => attributesAnswer(id, await lstat(path)));
}

export function setAttributes({ id, body }: Request): Work {
  const path = body.path();
  const wanted = readAttributes(body);
  return changing(id, () => applyTo(path, wanted));
}

async function applyTo(path: Buffer, { size, permissions, times, owner }: WantedAttributes): Promise<void> {
  if (size !== undefined) await truncate(path, size);
  if (permissions !== undefined) await chmod(path, permissions);
  if (times) await utimes(path, times.accessed, times.modified);
  if (owner) await chown(path, owner.uid, owner.gid);
}

export function removeFile({ id, body }: Request): Work {
  const path = body.path();
  return changing(id, () => unlink(path));
}

export function removeWhole({ id, body }: Request): Work {
  const path = body.path();
  return change(async () => {
    const { folder, name } = splitPath(path);
    if (['', '.', '..'].includes(name.toString('latin1')))
      throw new SftpFailure(STATUS.failure, 'that names no folder that could be removed');
    const { removed, isDone } = await removeTree(folder, name);
    return extendedAnswer(id, [BigInt(removed), isDone ? 1n : 0n]);
  });
}

export function realPath({ id, body }: Request): Work {
  const path = body.path();
  return look(async () => {
    const name = await resolved(path);
    return namesAnswer(id, [{ name, longName: name }]);
  });
}

/** Clients also ask for what they are about to make: its folder must exist, it itself need not. */
async function resolved(path: Buffer): Promise<Buffer> {
  try {
    return await realpath(path, { encoding: 'buffer' });
  } catch (error) {
    const { folder, name } = splitPath(path);
    if (codeOf(error) !== 'ENOENT' || ['.', '..'].includes(name.toString('latin1'))) throw error;
    const above = await realpath(folder, { encoding: 'buffer' });
    const slash = Buffer.from(above.at(-1) === SLASH ? '' : '/');
    return Buffer.concat([above, slash, name]);
  }
}

function splitPath(path: Buffer): { folder: Buffer; name: Buffer } {
  let end = path.length;
  while (end > 1 && path[end - 1] === SLASH) end -= 1;
  const slash = path.subarray(0, end).lastIndexOf(SLASH);
  const folder = slash === -1 ? Buffer.from('.') : path.subarray(0, Math.max(slash, 1));
  return { folder, name: path.subarray(slash + 1, end) };
}

export function readLink({ id, body }: Request): Work {
  const path = body.path();
  return look(async () => {
    const name = await readlink(path, { encoding: 'buffer' });
    return namesAnswer(id, [{ name, longName: name }]);
  });
}

/** The target first, as every client has sent it since OpenSSH did; the draft has it the other way round. */
export function makeSymlink({ id, body }: Request): Work {
  const target = body.path();
  const path = body.path();
  return changing(id, () => symlink(target, path));
}

export function makeHardLink({ id, body }: Request): Work {
  const existing = body.path();
  const path = body.path();
  return changing(id, () => link(existing, path));
}

/** Never over something that exists: that is what the extension is for. */
export function renameFile({ id, body }: Request): Work {
  const from = body.path();
  const to = body.path();
  return changing(id, () => renameToFree(from, to));
}

export function renameOver({ id, body }: Request): Work {
  const from = body.path();
  const to = body.path();
  return changing(id, () => rename(from, to));
}

async function renameToFree(from: Buffer, to: Buffer): Promise<void> {
  if ((await lstat(from)).isFile()) {
    try {
      // Fails by itself when the name is taken, even at the last moment.
      await link(from, to);
      return await unlink(from);
    } catch (error) {
      if (!NO_LINKS.includes(codeOf(error))) throw error;
    }
  }
  if (await exists(to)) throw new SftpFailure(STATUS.failure, 'the new name is taken');
  await rename(from, to);
}

async function exists(path: Buffer): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

function changing(id: number, run: () => Promise<void>): Work {
  return change(async () => {
    await run();
    return okAnswer(id);
  });
}
