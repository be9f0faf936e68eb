/** Deletes files and folders with all that is in them. Links are deleted as links: what they lead to is never touched. */

import { joinPath } from '@gatehouse/contract/kinds/node/files/paths';
import { EXTENSION, REQUEST } from '@gatehouse/contract/kinds/node/files/sftp';
import { visibleText } from '@gatehouse/contract/std/visible-text';
import { AppError } from '../../../platform/std/app-error.ts';
import { about, lookAt, type NameRoom, namesIn, roomForNames, typeOf } from './server-files.ts';
import { bytesOfName, textOfName } from './sftp/name-bytes.ts';
import type { ListedName, SftpClient } from './sftp/sftp-client.ts';

const MAX_DEPTH = 100;
/** Beyond this it is asked for again: a server that lists without end must not be deleted from for ever. */
const MAX_REMOVED = 1_000_000;
const AT_ONCE = 32;

/** Gives how many were deleted. */
export async function removeTree(
  client: SftpClient,
  path: string,
  { recursive }: { recursive: boolean },
): Promise<number> {
  const found = await lookAt(client, path);
  if (!found) throw new AppError('not_found', `'${visibleText(path, 200)}' does not exist`);
  if (typeOf(found) !== 'folder') {
    await about(path, client.change(REQUEST.remove, bytesOfName(path)));
    return 1;
  }
  if (!recursive) {
    await about(path, client.change(REQUEST.rmdir, bytesOfName(path)));
    return 1;
  }
  if (client.has(EXTENSION.removeTree)) return removeAtServer(client, path);
  const real = textOfName(await about(path, client.path(REQUEST.realpath, bytesOfName(path))));
  return emptyFolder(client, real, { depth: 0, left: MAX_REMOVED, room: roomForNames() });
}

/** Our agents hold on to the folders they empty; by their paths somebody could put a link between two of our requests. */
async function removeAtServer(client: SftpClient, path: string): Promise<number> {
  for (let removed = 0; ; ) {
    const went = await about(path, client.removeTree(bytesOfName(path)));
    removed += went.removed;
    if (went.isDone) return removed;
    if (went.removed === 0 || removed > MAX_REMOVED)
      throw new AppError(
        'conflict',
        `'${visibleText(path, 200)}' has more in it than could be deleted: ${removed} were`,
      );
  }
}

interface Bounds {
  depth: number;
  left: number;
  room: NameRoom;
}

async function emptyFolder(client: SftpClient, path: string, { depth, left, room }: Bounds): Promise<number> {
  if (depth > MAX_DEPTH)
    throw new AppError('conflict', `folders below '${visibleText(path, 200)}' are nested too deeply`);
  // Somebody may have put a link where the folder was: what it leads to is not what was to be deleted.
  const real = textOfName(await about(path, client.path(REQUEST.realpath, bytesOfName(path))));
  if (real !== path) throw new AppError('conflict', `'${visibleText(path, 200)}' is not the folder it was`);
  let removed = 0;
  // SFTP has no way to hold on to a folder: between these requests somebody who may write above it can still swap it.
  for await (const names of namesIn(client, path, room)) {
    if (removed + names.length > left)
      throw new AppError('conflict', `more than ${MAX_REMOVED} files were to be deleted: delete the rest once more`);
    const isFolder = ({ attributes }: ListedName) => typeOf(attributes) === 'folder';
    const others = names.filter((name) => !isFolder(name));
    for (let at = 0; at < others.length; at += AT_ONCE) {
      const some = others.slice(at, at + AT_ONCE).map(({ name }) => joinPath(path, textOfName(name)));
      await Promise.all(some.map((each) => about(each, client.change(REQUEST.remove, bytesOfName(each)))));
      removed += some.length;
    }
    for (const { name } of names.filter(isFolder)) {
      const below = { depth: depth + 1, left: left - removed, room };
      removed += await emptyFolder(client, joinPath(path, textOfName(name)), below);
    }
  }
  await about(path, client.change(REQUEST.rmdir, bytesOfName(path)));
  return removed + 1;
}
