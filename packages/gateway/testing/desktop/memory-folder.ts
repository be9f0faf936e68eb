/** A shared folder in memory, which waits when it is told to. */
import { type FolderEntry, FolderFailure, type SharedFolder } from '../../src/kinds/desktop/engine/shared-folder.ts';

export class MemoryFolder implements SharedFolder {
  /** Undefined: a folder. */
  readonly files = new Map<string, Buffer | undefined>();
  /** What is asked waits for it. */
  gate: Promise<void> = Promise.resolve();
  async #find(path: string): Promise<Buffer | undefined> {
    await this.gate;
    if (!this.files.has(path)) throw new FolderFailure('absent', 'it is not there');
    return this.files.get(path);
  }
  #entry(path: string): FolderEntry {
    const bytes = this.files.get(path);
    const name = path.slice(path.lastIndexOf('/') + 1);
    return { name, isDirectory: !bytes, size: bytes?.length ?? 0, modified: 1_700_000_000_000, isEmpty: false };
  }
  async info(path: string) {
    await this.#find(path);
    return this.#entry(path);
  }
  async list(path: string) {
    await this.gate;
    const head = path === '' ? '' : `${path}/`;
    const inside = [...this.files.keys()].filter((each) => each.startsWith(head));
    return inside.filter((each) => !each.slice(head.length).includes('/')).map((each) => this.#entry(each));
  }
  async create(path: string, isDirectory: boolean) {
    this.files.set(path, isDirectory ? undefined : Buffer.alloc(0));
  }
  async remove(path: string) {
    await this.#find(path);
    this.files.delete(path);
  }
  async read(path: string, offset: number, length: number) {
    return (await this.#find(path))!.subarray(offset, offset + length);
  }
  async write(path: string, offset: number, bytes: Uint8Array) {
    const before = (await this.#find(path))!;
    const after = Buffer.alloc(Math.max(before.length, offset + bytes.length));
    before.copy(after);
    after.set(bytes, offset);
    this.files.set(path, after);
    return bytes.length;
  }
  async move(path: string, to: string) {
    this.files.set(to, await this.#find(path));
    this.files.delete(path);
  }
}
