/** Files and folders a client has open, under numbers that never come again. */
import type { Dir } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { STATUS } from '@gatehouse/contract/kinds/node/files/sftp';
import { SftpFailure } from './sftp-failure.ts';
import { LIMITS } from './sftp-limits.ts';

const HANDLE_BYTES = 6;

export interface OpenFile {
  kind: 'file';
  file: FileHandle;
  /** The same for every handle of one file. */
  key: string;
  /** Every write goes to the end, whatever offset it names. */
  appends: boolean;
}

export interface OpenFolder {
  kind: 'folder';
  folder: Dir;
  path: Buffer;
  key: string;
  /** The folder itself and the one above, which Node leaves out. */
  unlisted: Buffer[];
}

export type OpenThing = OpenFile | OpenFolder;

export class Handles {
  readonly #open = new Map<number, OpenThing>();
  #opening = 0;
  #next = 1;

  /** Counts what is being opened as well: many requests at once must not get past the bound. */
  async add(open: (key: string) => Promise<OpenThing>): Promise<Buffer> {
    if (this.#open.size + this.#opening >= LIMITS.handles) {
      throw new SftpFailure(STATUS.failure, `${LIMITS.handles} files are open; close one first`);
    }
    this.#opening += 1;
    try {
      const number = this.#next++;
      this.#open.set(number, await open(`handle ${number}`));
      const handle = Buffer.alloc(HANDLE_BYTES);
      handle.writeUIntBE(number, 0, HANDLE_BYTES);
      return handle;
    } finally {
      this.#opening -= 1;
    }
  }

  file(handle: Buffer): OpenFile {
    const found = this.#find(handle);
    if (found.kind !== 'file') throw new SftpFailure(STATUS.failure, 'the handle is that of a folder');
    return found;
  }

  folder(handle: Buffer): OpenFolder {
    const found = this.#find(handle);
    if (found.kind !== 'folder') throw new SftpFailure(STATUS.failure, 'the handle is that of a file');
    return found;
  }

  /** From now on no request finds it; the caller closes it once those before have ended. */
  remove(handle: Buffer): OpenThing {
    const found = this.#find(handle);
    this.#open.delete(numberIn(handle));
    return found;
  }

  async closeAll(): Promise<void> {
    const open = [...this.#open.values()];
    this.#open.clear();
    await Promise.allSettled(open.map(closeThing));
  }

  #find(handle: Buffer): OpenThing {
    const found = this.#open.get(numberIn(handle));
    if (!found) throw new SftpFailure(STATUS.failure, 'there is no such handle');
    return found;
  }
}

export async function closeThing(thing: OpenThing): Promise<void> {
  await (thing.kind === 'file' ? thing.file.close() : thing.folder.close());
}

function numberIn(handle: Buffer): number {
  return handle.length === HANDLE_BYTES ? handle.readUIntBE(0, HANDLE_BYTES) : 0;
}
