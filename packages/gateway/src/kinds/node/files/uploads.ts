/**
 * Uploads: written beside their target under a name of their own, which a later try finds again, and put in its place when all
 * of it is there. A cut leaves what was there before.
 */
import { createHash } from 'node:crypto';
import { folderOf, joinPath, nameOf } from '@gatehouse/contract/kinds/node/files/paths';
import { EXTENSION, OPEN_FLAG, REQUEST } from '@gatehouse/contract/kinds/node/files/sftp';
import { visibleText } from '@gatehouse/contract/std/visible-text';
import { AppError } from '../../../platform/std/app-error.ts';
import { about, lookAt, makeParents, moveOver, realTarget, taken, typeOf } from './server-files.ts';
import { bytesOfName, textOfName } from './sftp/name-bytes.ts';
import type { SftpClient } from './sftp/sftp-client.ts';
import { writeAll } from './sftp/transfer.ts';

const PERMISSION_BITS = 0o777;
/** Room for the dots, the id and the ending within what file systems take. */
const MAX_BASE_BYTES = 200;

export interface Upload {
  /** Exists already. */
  folder: string;
  /** Below it; folders on the way are made. */
  name: string;
  /** The same for every try of the same file. */
  id: string;
}

export interface UploadedBytes extends Upload {
  source: AsyncIterable<Buffer>;
  offset: number;
  size: number;
  replace: boolean;
  onWritten?(offset: number): void;
}

export function pathOf({ folder, name }: Pick<Upload, 'folder' | 'name'>): string {
  return joinPath(folder, name);
}

/** How much of it is there, and whether something is in its place already. */
export async function uploadProgress(client: SftpClient, upload: Upload): Promise<{ offset: number; exists: boolean }> {
  const target = await realTarget(client, pathOf(upload));
  const [part, before] = await Promise.all([lookAt(client, partOf(target, upload.id)), lookAt(client, target)]);
  return { offset: part && typeOf(part) === 'file' ? part.size : 0, exists: before !== undefined };
}

export async function giveUpUpload(client: SftpClient, upload: Upload): Promise<void> {
  const part = partOf(await realTarget(client, pathOf(upload)), upload.id);
  if (await lookAt(client, part)) await about(part, client.change(REQUEST.remove, bytesOfName(part)));
}

export async function writeUpload(client: SftpClient, upload: UploadedBytes): Promise<void> {
  const { folder, source, offset, size, id, replace, onWritten } = upload;
  await makeParents(client, folder, folderOf(pathOf(upload)));
  const target = await realTarget(client, pathOf(upload));
  const before = await lookAt(client, target);
  if (before && typeOf(before) !== 'file') throw new AppError('conflict', `'${shown(target)}' exists and is no file`);
  if (before && !replace) throw taken(target);
  const part = partOf(target, id);
  const handle = await openPart(client, part, offset);
  let closed = false;
  try {
    const reached = await writeAll(client, handle, source, {
      from: offset,
      to: size,
      tooMuch: () => new AppError('bad_request', 'more was sent than the size that was announced'),
      ...(onWritten ? { onWritten } : {}),
    }).catch((error: unknown) => about(target, Promise.reject(error)));
    if (reached < size)
      throw new AppError('bad_request', `only ${reached} of ${size} bytes were sent: go on from there`);
    // A try before this one may have come further than it told.
    await about(part, client.setAttributes(REQUEST.fsetstat, handle, { size }));
    if (client.has(EXTENSION.fsync)) await about(part, client.change(REQUEST.extended, EXTENSION.fsync, handle));
    await about(part, client.change(REQUEST.close, handle));
    closed = true;
  } finally {
    if (!closed) await client.close(handle);
  }
  if (before)
    await about(
      part,
      client.setAttributes(REQUEST.setstat, bytesOfName(part), { permissions: before.mode & PERMISSION_BITS }),
    );
  // Somebody else may have made a file of that name meanwhile.
  if (!replace && (await lookAt(client, target))) throw taken(target);
  await moveOver(client, part, target);
}

/** A link in its place is never written through: others may be able to put one there. */
async function openPart(client: SftpClient, part: string, offset: number): Promise<Buffer> {
  const path = bytesOfName(part);
  const found = await lookAt(client, part);
  if (found && typeOf(found) !== 'file') throw new AppError('conflict', `'${shown(part)}' is in the way`);
  if (offset > 0) {
    const there = found?.size ?? 0;
    if (there < offset)
      throw new AppError('compare_failed', `only ${there} bytes of this upload are there`, {
        fields: { offset: there },
      });
    return about(part, client.handle(REQUEST.open, path, OPEN_FLAG.write, 0));
  }
  if (found) await about(part, client.change(REQUEST.remove, path));
  return about(part, client.handle(REQUEST.open, path, OPEN_FLAG.write | OPEN_FLAG.create | OPEN_FLAG.exclusive, 0));
}

/** Beside the target, hidden, and of bounded length. */
export function partOf(target: string, id: string): string {
  const name = bytesOfName(nameOf(target));
  const base =
    name.length <= MAX_BASE_BYTES ? name : Buffer.from(createHash('sha256').update(name).digest('hex').slice(0, 32));
  return joinPath(folderOf(target), `.${textOfName(base)}.${id}.part`);
}

function shown(path: string): string {
  return visibleText(path, 200);
}
