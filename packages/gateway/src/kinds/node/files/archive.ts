/**
 * Folders as one archive, made while it is sent. Nothing in it leads out of it: links that do are left out, and no folder is
 * entered through one. What could not be put in is told by a text at its end.
 */

import { joinPath } from '@gatehouse/contract/kinds/node/files/paths';
import { OPEN_FLAG, REQUEST } from '@gatehouse/contract/kinds/node/files/sftp';
import { visibleText } from '@gatehouse/contract/std/visible-text';
import { AppError } from '../../../platform/std/app-error.ts';
import { tarEnd, tarHeader, tarPadding } from '../../../platform/std/tar.ts';
import { about, lookAt, namesIn, roomForNames, typeOf } from './server-files.ts';
import type { FileAttributes } from './sftp/fields.ts';
import { bytesOfName, textOfName } from './sftp/name-bytes.ts';
import type { SftpClient } from './sftp/sftp-client.ts';
import { SftpBroken, SftpRefusal } from './sftp/sftp-error.ts';
import { readRange } from './sftp/transfer.ts';

const MAX_DEPTH = 100;
const MAX_ENTRIES = 500_000;
const MAX_TOLD = 1_000;
const MAX_ZEROS = 1024 ** 3;
const LEFT_OUT = 'NOT-IN-THIS-ARCHIVE.txt';

export interface ArchiveRoot {
  path: string;
  /** What it is called in the archive; no two alike. */
  name: string;
}

export async function* tarOf(client: SftpClient, roots: readonly ArchiveRoot[]): AsyncGenerator<Buffer> {
  const archive = new Archive(client);
  for (const { path, name } of roots) {
    const found = await lookAt(client, path);
    if (!found) throw new AppError('not_found', `'${visibleText(path, 200)}' does not exist`);
    yield* archive.add({ path, inside: bytesOfName(name), attributes: found, depth: 0 });
  }
  yield* archive.tellLeftOut();
  yield tarEnd();
}

interface Found {
  path: string;
  /** Its name in the archive. */
  inside: Buffer;
  attributes: FileAttributes;
  depth: number;
}

class Archive {
  readonly #client: SftpClient;
  /** For all folders on the way down together: each remembers its names while it is put in. */
  readonly #room = roomForNames();
  #entries = 0;
  #leftOut: string[] = [];

  constructor(client: SftpClient) {
    this.#client = client;
  }

  async *add(found: Found): AsyncGenerator<Buffer> {
    this.#entries += 1;
    if (this.#entries > MAX_ENTRIES) {
      this.#leave(found, 'too many files');
      return;
    }
    const type = typeOf(found.attributes);
    if (type === 'folder') yield* this.#addFolder(found);
    else if (type === 'file') yield* this.#addFile(found);
    else if (type === 'link') yield* this.#addLink(found);
    else this.#leave(found, 'no file');
  }

  async *tellLeftOut(): AsyncGenerator<Buffer> {
    if (this.#leftOut.length === 0) return;
    const text = Buffer.from(`These were left out:\n${this.#leftOut.join('\n')}\n`);
    const name = Buffer.from(LEFT_OUT);
    yield tarHeader({ type: 'file', name, mode: 0o644, size: text.length, modified: 0 });
    yield Buffer.concat([text, tarPadding(text.length)]);
  }

  #leave({ path }: Pick<Found, 'path'>, why: string): void {
    if (this.#leftOut.length < MAX_TOLD) this.#leftOut.push(`${visibleText(path, 1_000)}: ${why}`);
    else if (this.#leftOut.length === MAX_TOLD) this.#leftOut.push('… and more');
  }

  async *#addFolder(found: Found): AsyncGenerator<Buffer> {
    const { path, inside, attributes, depth } = found;
    if (depth > MAX_DEPTH) {
      this.#leave(found, 'nested too deeply');
      return;
    }
    const { mode, modified } = attributes;
    // The owner must be able to unpack into it.
    const name = Buffer.concat([inside, Buffer.from('/')]);
    yield tarHeader({ type: 'folder', name, mode: mode | 0o700, size: 0, modified });
    try {
      for await (const names of namesIn(this.#client, path, this.#room))
        for (const listed of names) {
          yield* this.add({
            path: joinPath(path, textOfName(listed.name)),
            inside: Buffer.concat([name, listed.name]),
            attributes: listed.attributes,
            depth: depth + 1,
          });
          if (this.#entries > MAX_ENTRIES) return;
        }
    } catch (error) {
      this.#leave(found, whyRefused(error));
    }
  }

  async *#addFile(found: Found): AsyncGenerator<Buffer> {
    const { path, inside } = found;
    const client = this.#client;
    let handle: Buffer | undefined;
    try {
      handle = await about(path, client.handle(REQUEST.open, bytesOfName(path), OPEN_FLAG.read, 0));
      const attributes = await about(path, client.attributes(REQUEST.fstat, handle));
      if (typeOf(attributes) !== 'file') {
        this.#leave(found, 'no file any more');
        return;
      }
      const { size, mode, modified } = attributes;
      yield tarHeader({ type: 'file', name: inside, mode, size, modified });
      yield* this.#content(found, handle, size);
      yield tarPadding(size);
    } catch (error) {
      this.#leave(found, whyRefused(error));
    } finally {
      if (handle) await client.close(handle);
    }
  }

  /** As long as its header says, whatever happens to the file meanwhile. */
  async *#content(found: Found, handle: Buffer, size: number): AsyncGenerator<Buffer> {
    let sent = 0;
    try {
      for await (const piece of readRange(this.#client, handle, { from: 0, to: size })) {
        sent += piece.length;
        yield piece;
      }
    } catch (error) {
      if (!(error instanceof SftpRefusal)) throw error;
    }
    if (sent === size) return;
    // What a server says of a file it does not give must not keep us at work for ever.
    if (size - sent > MAX_ZEROS)
      throw new SftpBroken(
        `the server says that '${visibleText(found.path, 200)}' has ${size} bytes, and gives ${sent}`,
      );
    this.#leave(found, `only its first ${sent} bytes could be read; the rest is filled with zeros`);
    for (const zeros = Buffer.alloc(64 * 1024); sent < size; sent += zeros.length)
      yield zeros.subarray(0, Math.min(zeros.length, size - sent));
  }

  async *#addLink(found: Found): AsyncGenerator<Buffer> {
    const { path, inside, attributes, depth } = found;
    try {
      const link = await about(path, this.#client.path(REQUEST.readlink, bytesOfName(path)));
      if (leadsOut(link.toString('latin1'), depth))
        this.#leave(found, `a link out of the folder, to ${visibleText(textOfName(link), 300)}`);
      else yield tarHeader({ type: 'link', name: inside, mode: 0o777, size: 0, modified: attributes.modified, link });
    } catch (error) {
      this.#leave(found, whyRefused(error));
    }
  }
}

/** Links are kept only where they stay within what is archived: below the folder that was asked for. */
export function leadsOut(link: string, depth: number): boolean {
  if (depth === 0 || link === '' || link.startsWith('/') || link.includes('\0')) return true;
  // The folder that was asked for is at depth 0, what lies in it at 1.
  let level = depth - 1;
  for (const part of link.split('/')) {
    if (part === '' || part === '.') continue;
    level += part === '..' ? -1 : 1;
    if (level < 0) return true;
  }
  return false;
}

/** A broken connection is the end of the archive; anything else is left out and told. */
function whyRefused(error: unknown): string {
  if (error instanceof AppError) return error.message;
  throw error;
}
