/** Blocks that nobody but this process can read: sealed with a key that is kept nowhere, in one file that has no name any more. It is gone with the process, however that ends. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { newToken } from '../../../../platform/crypto/tokens.ts';
import { FolderFailure } from '../../engine/shared-folder.ts';

export const BLOCK_BYTES = 64 * 1024;
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const SEALED_BYTES = NONCE_BYTES + TAG_BYTES + BLOCK_BYTES;
/** What is left for everything else: the store and recordings need the same disk. */
export const KEPT_FREE_BYTES = 500_000_000;
const LOOK_EVERY_BYTES = 64 * 1024 * 1024;
const LOOK_EVERY_MS = 5_000;
const ENDING = '.sealed';

export const DISK_FULL = 'the disk of the gateway is nearly full: remove something there, or ask an administrator';

export const FOLDER_FULL = 'the transfer folder is full: remove something from it';

export interface SealedBlocksOptions {
  folder: string;
  maxBlocks: number;
  freeBytes?: (folder: string) => Promise<number>;
}

export class SealedBlocks {
  readonly #file: FileHandle;
  readonly #options: Required<SealedBlocksOptions>;
  readonly #key = randomBytes(32);
  readonly #free: number[] = [];
  #made = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #sinceLook = 0;
  #diskBytes = 0;
  #isClosed = false;

  private constructor(file: FileHandle, options: Required<SealedBlocksOptions>) {
    this.#file = file;
    this.#options = options;
  }

  static async open(options: SealedBlocksOptions): Promise<SealedBlocks> {
    const { folder, maxBlocks, freeBytes = freeOn } = options;
    const path = join(folder, newToken() + ENDING);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = await open(path, 'wx+', 0o600);
    try {
      await rm(path, { force: true });
    } catch (error) {
      await file.close();
      throw error;
    }
    return new SealedBlocks(file, { folder, maxBlocks, freeBytes });
  }

  get freeBlocks(): number {
    return this.#options.maxBlocks - this.#made + this.#free.length;
  }

  /** Gives where it lies. `label`: what it is; it can be read as nothing else. Never over another: one that was half written would be lost. */
  async write(label: string, block: Uint8Array): Promise<number> {
    const slot = await this.#take();
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(label));
    const sealed = Buffer.concat([cipher.update(block), cipher.final()]);
    const bytes = Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
    try {
      await this.#store(bytes, slot * SEALED_BYTES);
      return slot;
    } catch (error) {
      this.#free.push(slot);
      throw failureOf(error);
    }
  }

  async read(slot: number, label: string): Promise<Buffer> {
    const sealed = Buffer.allocUnsafe(SEALED_BYTES);
    try {
      const { bytesRead } = await this.#file.read(sealed, 0, SEALED_BYTES, slot * SEALED_BYTES);
      if (bytesRead !== SEALED_BYTES) throw new Error('a sealed block is cut short');
      const nonce = sealed.subarray(0, NONCE_BYTES);
      const cipher = createDecipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(label)).setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      return Buffer.concat([cipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), cipher.final()]);
    } catch (error) {
      throw failureOf(error);
    }
  }

  free(slot: number): void {
    this.#free.push(slot);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#key.fill(0);
    await this.#file.close();
  }

  async #store(bytes: Buffer, at: number): Promise<void> {
    for (let written = 0; written < bytes.length; ) {
      const { bytesWritten } = await this.#file.write(bytes, written, bytes.length - written, at + written);
      written += bytesWritten;
    }
  }

  async #take(): Promise<number> {
    if (this.#isClosed) throw new FolderFailure('gone', 'it is there no longer');
    if (this.#free.length === 0) await this.#requireDisk();
    const again = this.#free.pop();
    if (again !== undefined) return again;
    if (this.#made >= this.#options.maxBlocks) throw new FolderFailure('full', FOLDER_FULL);
    this.#made += 1;
    return this.#made - 1;
  }

  /** Seldom: what others write meanwhile is little beside what is kept free. */
  async #requireDisk(): Promise<void> {
    const now = performance.now();
    if (this.#sinceLook >= LOOK_EVERY_BYTES || now - this.#lookedAt >= LOOK_EVERY_MS) {
      const { freeBytes, folder } = this.#options;
      this.#lookedAt = now;
      this.#sinceLook = 0;
      // A disk that cannot be asked is written to: whether it takes anything shows then.
      this.#diskBytes = await freeBytes(folder).catch(() => Number.POSITIVE_INFINITY);
    }
    this.#sinceLook += SEALED_BYTES;
    if (this.#diskBytes - this.#sinceLook < KEPT_FREE_BYTES) throw new FolderFailure('full', DISK_FULL);
  }
}

/** Those of a process that was killed between making one and taking its name away. */
export async function removeLeftOvers(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names) if (name.endsWith(ENDING)) await rm(join(folder, name), { force: true });
}

function failureOf(error: unknown): FolderFailure {
  if (error instanceof FolderFailure) return error;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOSPC' || code === 'EDQUOT') return new FolderFailure('full', DISK_FULL);
  return new FolderFailure('failed', 'the gateway could not read or write it on its disk');
}

async function freeOn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
