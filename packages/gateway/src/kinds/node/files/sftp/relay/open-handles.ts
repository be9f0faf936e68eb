/** The files and folders a client of SFTP has open, and how much went through each. */

export interface Transferred {
  read: number;
  written: number;
}

export interface OpenFile {
  path: string;
  /** Not a folder. */
  isFile: boolean;
  transferred: Transferred;
}

export function count(file: OpenFile | undefined, { read = 0, written = 0 }: Partial<Transferred>): void {
  if (!file) return;
  file.transferred.read += read;
  file.transferred.written += written;
}

export class OpenHandles {
  readonly #open = new Map<string, OpenFile>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** With those that are asked for and not open yet. */
  isFull(asked: number): boolean {
    return this.#open.size + asked >= this.#most;
  }

  get(handle: string): OpenFile | undefined {
    return this.#open.get(handle);
  }

  /** False when it is open already. */
  open(handle: string, path: string, isFile: boolean): boolean {
    if (this.#open.has(handle)) return false;
    this.#open.set(handle, { path, isFile, transferred: { read: 0, written: 0 } });
    return true;
  }

  forget(handle: string): void {
    this.#open.delete(handle);
  }

  /** Gives back the files. */
  forgetAll(): OpenFile[] {
    const files = [...this.#open.values()].filter(({ isFile }) => isFile);
    this.#open.clear();
    return files;
  }
}
