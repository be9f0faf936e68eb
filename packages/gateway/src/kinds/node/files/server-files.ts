/** Looks at and changes files of a server by their paths, in the words of the contract. What a server tells is bounded and cleaned. */

import { type FileEntry, type FileType, MAX_LISTED } from '@gatehouse/contract/kinds/node/files/files';
import { joinPath, nameOf } from '@gatehouse/contract/kinds/node/files/paths';
import { EXTENSION, REQUEST } from '@gatehouse/contract/kinds/node/files/sftp';
import { visibleText } from '@gatehouse/contract/std/visible-text';
import { AppError } from '../../../platform/std/app-error.ts';
import type { FileAttributes } from './sftp/fields.ts';
import { bytesOfName, textOfName } from './sftp/name-bytes.ts';
import type { ListedName, SftpClient } from './sftp/sftp-client.ts';
import { explainRefusal, isMissing, SftpRefusal } from './sftp/sftp-error.ts';

const TYPE_BITS = 0o170000;
const TYPES = new Map<number, FileType>([
  [0o040000, 'folder'],
  [0o100000, 'file'],
  [0o120000, 'link'],
]);
/** A folder that never ends is left after this. */
const LIST_MS = 20_000;
const MAX_LIST_BYTES = 8 * 1024 * 1024;
/** Links are looked behind one by one. */
const MAX_LINKS_FOLLOWED = 200;
const MAX_NAME_BYTES = 255;
const NAME_OVERHEAD_BYTES = 64;
/** A server may list a thing again that was renamed meanwhile; one that lists nothing else does it for ever. */
const MAX_IN_VAIN = 100;

export function typeOf({ mode }: Pick<FileAttributes, 'mode'>): FileType {
  return TYPES.get(mode & TYPE_BITS) ?? 'other';
}

/** Tells a refusal of the server in words about the path. */
export async function about<T>(path: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof SftpRefusal ? explainRefusal(error, path) : error;
  }
}

/** Undefined when there is nothing of that name. */
export async function lookAt(client: SftpClient, path: string): Promise<FileAttributes | undefined> {
  try {
    return await client.attributes(REQUEST.lstat, bytesOfName(path));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error instanceof SftpRefusal ? explainRefusal(error, path) : error;
  }
}

export async function statFile(client: SftpClient, path: string): Promise<FileEntry> {
  const attributes = await about(path, client.attributes(REQUEST.lstat, bytesOfName(path)));
  const entry = entryOf({ name: bytesOfName(nameOf(path) || '/'), line: Buffer.alloc(0), attributes });
  return entry.type === 'link' ? { ...entry, ...(await behind(client, path)) } : entry;
}

/** How much of the names of folders that are open at the same time is remembered, in bytes. */
export interface NameRoom {
  left: number;
}

/** Some two hundred thousand names of usual length. */
export function roomForNames(): NameRoom {
  return { left: 24 * 1024 * 1024 };
}

/** Names of a folder, some at a time, each one possible as a name of a file and none twice. */
export async function* namesIn(
  client: SftpClient,
  path: string,
  room: NameRoom = roomForNames(),
): AsyncGenerator<ListedName[]> {
  const handle = await about(path, client.handle(REQUEST.opendir, bytesOfName(path)));
  const seen = new Set<string>();
  let taken = 0;
  let inVain = 0;
  try {
    for (;;) {
      const names = await about(path, client.names(handle));
      if (names.length === 0) return;
      const fresh = names.filter(({ name }) => {
        const key = name.toString('latin1');
        if (!isPossible(key) || seen.has(key)) return false;
        seen.add(key);
        taken += key.length + NAME_OVERHEAD_BYTES;
        return true;
      });
      inVain = fresh.length === 0 ? inVain + 1 : 0;
      if (taken > room.left) throw new AppError('conflict', `'${visibleText(path, 200)}' has too many names`);
      if (inVain > MAX_IN_VAIN) throw new AppError('conflict', `'${visibleText(path, 200)}' is listed without an end`);
      room.left -= taken;
      try {
        yield fresh;
      } finally {
        room.left += taken;
      }
    }
  } finally {
    await client.close(handle);
  }
}

/** A name with a slash would be a path, and lead wherever the server likes. */
function isPossible(name: string): boolean {
  if (name === '' || name === '.' || name === '..' || name.length > MAX_NAME_BYTES) return false;
  return !name.includes('/') && !name.includes('\0');
}

export async function listFolder(
  client: SftpClient,
  path: string,
): Promise<{ entries: FileEntry[]; complete: boolean }> {
  const entries: FileEntry[] = [];
  const until = performance.now() + LIST_MS;
  let bytes = 0;
  let complete = true;
  for await (const names of namesIn(client, path)) {
    for (const listed of names) {
      entries.push(entryOf(listed));
      bytes += listed.name.length + 100;
    }
    if (entries.length < MAX_LISTED && bytes < MAX_LIST_BYTES && performance.now() < until) continue;
    complete = false;
    break;
  }
  const shown = entries.slice(0, MAX_LISTED).sort((a, b) => (a.name < b.name ? -1 : 1));
  const links = shown.filter(({ type }) => type === 'link').slice(0, MAX_LINKS_FOLLOWED);
  await Promise.all(links.map(async (entry) => Object.assign(entry, await behind(client, joinPath(path, entry.name)))));
  return { entries: shown, complete };
}

/** What a link leads to; nothing where that is not to be seen. */
async function behind(client: SftpClient, path: string): Promise<{ target: FileType; size?: number } | undefined> {
  try {
    const attributes = await client.attributes(REQUEST.stat, bytesOfName(path));
    const target = typeOf(attributes);
    return target === 'file' ? { target, size: attributes.size } : { target };
  } catch (error) {
    if (error instanceof SftpRefusal) return undefined;
    throw error;
  }
}

function entryOf({ name, line, attributes }: ListedName): FileEntry {
  const { size, mode, modified, uid, gid } = attributes;
  // As `ls -l` prints it: the only place where version 3 of the protocol has names.
  const [, owner, group] = /^\S+\s+\d+\s+(\S+)\s+(\S+)\s/.exec(line.toString('latin1')) ?? [];
  return {
    name: textOfName(name),
    type: typeOf(attributes),
    size,
    modified: modified * 1000,
    mode: mode & 0o7777,
    owner: visibleText(owner ?? String(uid), 32),
    group: visibleText(group ?? String(gid), 32),
  };
}

export async function makeFolder(client: SftpClient, path: string): Promise<void> {
  if (await lookAt(client, path)) throw taken(path);
  await about(path, client.change(REQUEST.mkdir, bytesOfName(path), 0));
}

/** Makes what is missing on the way to a folder, below one that exists. */
export async function makeParents(client: SftpClient, below: string, folder: string): Promise<void> {
  const names = folder === below ? [] : folder.slice(below === '/' ? 1 : below.length + 1).split('/');
  let path = below;
  for (const name of names) {
    path = joinPath(path, name);
    try {
      await client.change(REQUEST.mkdir, bytesOfName(path), 0);
    } catch (error) {
      // Several files of one folder are uploaded at once: another may have made it.
      const found = await client.attributes(REQUEST.stat, bytesOfName(path)).catch(() => undefined);
      if (found && typeOf(found) === 'folder') continue;
      if (found) throw new AppError('conflict', `'${visibleText(path, 200)}' exists and is no folder`);
      throw error instanceof SftpRefusal ? explainRefusal(error, path) : error;
    }
  }
}

export async function renameFile(client: SftpClient, from: string, to: string): Promise<void> {
  if (await lookAt(client, to)) throw taken(to);
  await about(from, client.change(REQUEST.rename, bytesOfName(from), bytesOfName(to)));
}

/** Puts a file in the place of another, at once where the server can, and else without losing either. */
export async function moveOver(client: SftpClient, from: string, to: string): Promise<void> {
  const [source, target] = [bytesOfName(from), bytesOfName(to)];
  if (client.has(EXTENSION.posixRename)) {
    await about(to, client.change(REQUEST.extended, EXTENSION.posixRename, source, target));
    return;
  }
  if (!(await lookAt(client, to))) {
    await about(to, client.change(REQUEST.rename, source, target));
    return;
  }
  const aside = Buffer.concat([source, Buffer.from('~')]);
  await about(to, client.change(REQUEST.rename, target, aside));
  try {
    await about(to, client.change(REQUEST.rename, source, target));
  } catch (error) {
    await client.change(REQUEST.rename, aside, target);
    throw error;
  }
  await client.change(REQUEST.remove, aside).catch(() => {});
}

/** Where a link leads, so that what it leads to is changed and not the link. */
export async function realTarget(client: SftpClient, path: string): Promise<string> {
  const found = await lookAt(client, path);
  if (!found || typeOf(found) !== 'link') return path;
  return textOfName(await about(path, client.path(REQUEST.realpath, bytesOfName(path))));
}

export function taken(path: string): AppError {
  return new AppError('conflict', `'${visibleText(nameOf(path), 200)}' exists already`, { fields: { exists: true } });
}
