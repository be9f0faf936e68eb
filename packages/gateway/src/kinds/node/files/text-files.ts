/** Small text files for an editor: read whole, and saved only over what was read. */
import { createHash, randomBytes } from 'node:crypto';
import { MAX_TEXT_BYTES } from '@gatehouse/contract/kinds/node/files/files';
import { folderOf, nameOf } from '@gatehouse/contract/kinds/node/files/paths';
import { OPEN_FLAG, REQUEST } from '@gatehouse/contract/kinds/node/files/sftp';
import { visibleText } from '@gatehouse/contract/std/visible-text';
import { AppError } from '../../../platform/std/app-error.ts';
import { about, lookAt, realTarget, typeOf } from './server-files.ts';
import { bytesOfName } from './sftp/name-bytes.ts';
import type { SftpClient } from './sftp/sftp-client.ts';
import { readRange } from './sftp/transfer.ts';
import { writeUpload } from './uploads.ts';

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export interface TextFile {
  text: string;
  /** Of its content. */
  version: string;
  writable: boolean;
}

export async function readTextFile(client: SftpClient, path: string): Promise<TextFile> {
  const bytes = await readSmall(client, await realTarget(client, path));
  if (!bytes) throw new AppError('not_found', `'${visibleText(path, 200)}' does not exist`);
  return { text: decoded(bytes, path), version: versionOf(bytes), writable: await isWritable(client, path) };
}

/** Refuses to save over anything else than what was read; without a version the file must not exist. */
export async function saveTextFile(
  client: SftpClient,
  { path, text, version }: { path: string; text: string; version: string | undefined },
): Promise<string> {
  const bytes = Buffer.from(text);
  if (bytes.length > MAX_TEXT_BYTES) throw tooLarge(path);
  const target = await realTarget(client, path);
  const now = await readSmall(client, target);
  if ((now && versionOf(now)) !== version)
    throw new AppError('compare_failed', whyChanged(now !== undefined, version !== undefined, path), {
      fields: { exists: now !== undefined },
    });
  await writeUpload(client, {
    folder: folderOf(target),
    name: nameOf(target),
    id: randomBytes(8).toString('hex'),
    source: onePiece(bytes),
    offset: 0,
    size: bytes.length,
    replace: version !== undefined,
  });
  return versionOf(bytes);
}

function whyChanged(exists: boolean, existed: boolean, path: string): string {
  const name = visibleText(nameOf(path), 200);
  if (!exists) return `'${name}' was deleted since it was read`;
  return existed ? `'${name}' was changed since it was read` : `'${name}' exists already`;
}

async function readSmall(client: SftpClient, path: string): Promise<Buffer | undefined> {
  const found = await lookAt(client, path);
  if (!found) return undefined;
  // Opening a pipe or a device could wait for ever.
  if (typeOf(found) !== 'file') throw new AppError('bad_request', `'${visibleText(path, 200)}' is no file`);
  const handle = await about(path, client.handle(REQUEST.open, bytesOfName(path), OPEN_FLAG.read, 0));
  try {
    const pieces: Buffer[] = [];
    let length = 0;
    // One more than is allowed tells whether there is more: the size that the server tells may be wrong.
    for await (const piece of readRange(client, handle, { from: 0, to: MAX_TEXT_BYTES + 1 })) {
      pieces.push(piece);
      length += piece.length;
    }
    if (length > MAX_TEXT_BYTES) throw tooLarge(path);
    return Buffer.concat(pieces, length);
  } finally {
    await client.close(handle);
  }
}

async function isWritable(client: SftpClient, path: string): Promise<boolean> {
  try {
    await client.close(await client.handle(REQUEST.open, bytesOfName(path), OPEN_FLAG.write, 0));
    return true;
  } catch {
    return false;
  }
}

function decoded(bytes: Buffer, path: string): string {
  try {
    const text = strict.decode(bytes);
    if (!text.includes('\0')) return text;
  } catch {
    // Told below.
  }
  throw new AppError(
    'bad_request',
    `'${visibleText(nameOf(path), 200)}' is no text that can be edited here: download it`,
  );
}

function tooLarge(path: string): AppError {
  return new AppError('too_large', `'${visibleText(nameOf(path), 200)}' is larger than 1 MB: download it to edit it`);
}

function versionOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function* onePiece(bytes: Buffer): AsyncGenerator<Buffer> {
  if (bytes.length > 0) yield bytes;
}
