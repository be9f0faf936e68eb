/** The folder that the gateway keeps for one session. Its names are in memory alone; what its files hold is sealed. */
import { DOWNLOAD_FOLDER, MAX_TRANSFER_PATH } from '@gatehouse/contract/kinds/desktop/transfer';
import { type FolderEntry, FolderFailure, type SharedFolder } from '../../engine/shared-folder.ts';
import { BLOCK_BYTES, FOLDER_FULL, type SealedBlocks } from './sealed-blocks.ts';
import { SealedFile } from './sealed-file.ts';
import { numberedName, usableName } from './transfer-names.ts';

/** Of everything in it; each costs memory of the gateway. */
export const MAX_ENTRIES = 10_000;
export const MAX_DEPTH = 32;
/** A host that never closes what it wrote means it all the same. */
export const RESTS_MS = 5_000;

interface FileNode {
  name: string;
  file: SealedFile;
  modified: number;
  /** Undefined: the host has closed it. */
  writtenAt: number | undefined;
}
interface FolderNode {
  name: string;
  /** By their names without case: Windows knows no other. */
  inside: Map<string, Node>;
  modified: number;
}
type Node = FileNode | FolderNode;

export interface OfferedFile {
  /** Below `Download`. */
  path: string;
  size: number;
  modified: number;
}

/** Not in the folder before it is whole. */
export interface Upload {
  write(bytes: Uint8Array): Promise<void>;
  /** Gives the path that it has now. */
  finish(path: string): string;
  giveUp(): void;
}

interface TransferFolderDeps {
  blocks: SealedBlocks;
  maxBytes: number;
  now: () => number;
  /** Something is there that was not, or is not any more. */
  onChange(): void;
}

const isFolder = (node: Node): node is FolderNode => 'inside' in node;
const keyOf = (name: string) => name.toLowerCase();
const partsOf = (path: string) => (path === '' ? [] : path.split('/'));

export class TransferFolder implements SharedFolder {
  readonly #deps: TransferFolderDeps;
  readonly #root: FolderNode;
  readonly #download: FolderNode;
  #entries = 0;
  #lastId = 0;
  #isClosed = false;

  constructor(deps: TransferFolderDeps) {
    this.#deps = deps;
    this.#download = this.#newFolder(DOWNLOAD_FOLDER);
    this.#root = this.#newFolder('');
    this.#root.inside.set(keyOf(DOWNLOAD_FOLDER), this.#download);
  }

  room(): { totalBytes: number; freeBytes: number } {
    const { blocks, maxBytes } = this.#deps;
    return { totalBytes: maxBytes, freeBytes: Math.min(maxBytes, Math.max(0, blocks.freeBlocks * BLOCK_BYTES)) };
  }

  async info(path: string): Promise<FolderEntry> {
    return entryOf(this.#find(path));
  }

  async list(path: string): Promise<readonly FolderEntry[]> {
    return [...this.#folder(path).inside.values()].map(entryOf);
  }

  async create(path: string, isDirectory: boolean): Promise<void> {
    const { above, name } = this.#place(path);
    if (above.inside.has(keyOf(name))) throw new FolderFailure('exists', 'it is there already');
    this.#requireEntry();
    const node = isDirectory ? this.#newFolder(name) : this.#newFile(name);
    this.#put(above, node);
  }

  async remove(path: string): Promise<void> {
    const { above, name } = this.#place(path);
    const node = above.inside.get(keyOf(name));
    if (!node) throw absent();
    this.#requireMovable(node);
    if (isFolder(node) && node.inside.size > 0) throw new FolderFailure('failed', 'it is not empty');
    above.inside.delete(keyOf(name));
    this.#entries -= 1;
    this.#deps.onChange();
    if (!isFolder(node)) await node.file.remove();
  }

  async read(path: string, offset: number, length: number): Promise<Uint8Array> {
    return await this.#file(path).file.read(offset, length);
  }

  async write(path: string, offset: number, bytes: Uint8Array): Promise<number> {
    const node = this.#file(path);
    this.#requireRoom(offset + bytes.length);
    node.writtenAt = this.#deps.now();
    await node.file.write(offset, bytes);
    this.#touched(node);
    return bytes.length;
  }

  async resize(path: string, size: number): Promise<void> {
    const node = this.#file(path);
    this.#requireRoom(size);
    // As before a copy: that there is no room for it is told before it is begun.
    if (size - node.file.size > this.room().freeBytes) throw new FolderFailure('full', FOLDER_FULL);
    node.writtenAt = this.#deps.now();
    await node.file.resize(size);
    this.#touched(node);
  }

  async move(path: string, to: string): Promise<void> {
    const from = this.#place(path);
    const node = from.above.inside.get(keyOf(from.name));
    if (!node) throw absent();
    this.#requireMovable(node);
    const { above, name } = this.#place(to);
    if (isFolder(node) && this.#ways(partsOf(to).slice(0, -1).join('/')).includes(node))
      throw new FolderFailure('failed', 'it lies inside of itself');
    const there = above.inside.get(keyOf(name));
    if (there && there !== node) throw new FolderFailure('exists', 'it is there already');
    requireShort(partsOf(to).length - 1 + heightOf(node), to.length - name.length + longestIn(node, name));
    from.above.inside.delete(keyOf(from.name));
    node.name = name;
    above.inside.set(keyOf(name), node);
    this.#deps.onChange();
  }

  settle(path: string): void {
    const node = this.#look(path);
    if (!node || isFolder(node) || node.writtenAt === undefined) return;
    node.writtenAt = undefined;
    this.#deps.onChange();
  }

  /** What was put into `Download` and is not being written: the first few, and how many more there are. */
  offered(most: number): { files: OfferedFile[]; more: number } {
    const found: OfferedFile[] = [];
    const rests = this.#deps.now() - RESTS_MS;
    for (const { path, node } of filesIn(this.#download, ''))
      if (node.writtenAt === undefined || node.writtenAt <= rests)
        found.push({ path, size: node.file.size, modified: node.modified });
    return { files: found.slice(0, most), more: Math.max(0, found.length - most) };
  }

  /** Undefined: it is not offered any more. The file itself: what takes its name meanwhile is another. */
  offeredFile(path: string): { name: string; file: SealedFile } | undefined {
    const node = this.#look(`${DOWNLOAD_FOLDER}/${path}`);
    return node && !isFolder(node) ? { name: node.name, file: node.file } : undefined;
  }

  beginUpload(size: number): Upload {
    this.#requireEntry();
    if (size > this.room().freeBytes) throw new FolderFailure('full', FOLDER_FULL);
    const file = this.#newFile('').file;
    let isOver = false;
    return {
      write: async (bytes) => {
        if (isOver || this.#isClosed) throw gone();
        this.#requireRoom(file.size + bytes.length);
        await file.write(file.size, bytes);
      },
      finish: (said) => {
        if (isOver || this.#isClosed) throw gone();
        const path = this.#link(said, file);
        isOver = true;
        return path;
      },
      giveUp: () => {
        if (isOver) return;
        isOver = true;
        void file.remove();
      },
    };
  }

  /** Nothing is read or written any more; what it held cannot be read by anybody. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#deps.blocks.close();
  }

  /** Under its own name where that is free, with its folders before it. */
  #link(said: string, file: SealedFile): string {
    const parts = said
      .split('/')
      .filter((part) => part !== '')
      .map(usableName);
    requireShort(parts.length, parts.join('/').length);
    const wanted = parts.pop() ?? '_';
    let above = this.#root;
    const path: string[] = [];
    for (const part of parts) {
      const { node, name } = this.#folderFor(above, part);
      above = node;
      path.push(name);
    }
    this.#requireEntry();
    const name = freeName(above, wanted);
    path.push(name);
    this.#put(above, { name, file, modified: this.#deps.now(), writtenAt: undefined });
    return path.join('/');
  }

  #folderFor(above: FolderNode, part: string): { node: FolderNode; name: string } {
    const there = above.inside.get(keyOf(part));
    if (there && isFolder(there)) return { node: there, name: there.name };
    this.#requireEntry();
    const node = this.#newFolder(freeName(above, part));
    this.#put(above, node);
    return { node, name: node.name };
  }

  #put(above: FolderNode, node: Node): void {
    above.inside.set(keyOf(node.name), node);
    above.modified = this.#deps.now();
    this.#entries += 1;
    this.#deps.onChange();
  }

  #touched(node: FileNode): void {
    node.modified = this.#deps.now();
    this.#deps.onChange();
  }

  #newFolder(name: string): FolderNode {
    return { name, inside: new Map(), modified: this.#deps.now() };
  }

  #newFile(name: string): FileNode {
    this.#lastId += 1;
    const now = this.#deps.now();
    return { name, file: new SealedFile(this.#deps.blocks, this.#lastId), modified: now, writtenAt: now };
  }

  /** From the folder itself down to it, as far as there is anything. */
  #ways(path: string): Node[] {
    const found: Node[] = [this.#root];
    let node: Node | undefined = this.#root;
    for (const part of partsOf(path)) {
      node = node && isFolder(node) ? node.inside.get(keyOf(part)) : undefined;
      if (!node) return found;
      found.push(node);
    }
    return found;
  }

  #look(path: string): Node | undefined {
    const ways = this.#ways(path);
    return ways.length === partsOf(path).length + 1 ? ways.at(-1) : undefined;
  }

  #find(path: string): Node {
    if (this.#isClosed) throw gone();
    const node = this.#look(path);
    if (!node) throw absent();
    return node;
  }

  #folder(path: string): FolderNode {
    const node = this.#find(path);
    if (!isFolder(node)) throw new FolderFailure('failed', 'it is no folder');
    return node;
  }

  #file(path: string): FileNode {
    const node = this.#find(path);
    if (isFolder(node)) throw new FolderFailure('failed', 'it is a folder');
    return node;
  }

  /** Where something is or could be. */
  #place(path: string): { above: FolderNode; name: string } {
    const parts = partsOf(path);
    const name = parts.pop();
    if (name === undefined) throw new FolderFailure('failed', 'it is the folder itself');
    requireShort(parts.length + 1, path.length);
    return { above: this.#folder(parts.join('/')), name };
  }

  #requireMovable(node: Node): void {
    if (node === this.#download) throw new FolderFailure('failed', 'the folder for downloads stays where it is');
  }

  #requireEntry(): void {
    if (this.#entries >= MAX_ENTRIES)
      throw new FolderFailure('full', 'there are too many files in the transfer folder');
  }

  #requireRoom(end: number): void {
    if (end > this.#deps.maxBytes) throw new FolderFailure('full', FOLDER_FULL);
  }
}

function entryOf(node: Node): FolderEntry {
  const { name, modified } = node;
  if (isFolder(node)) return { name, modified, isDirectory: true, size: 0, isEmpty: node.inside.size === 0 };
  const { size } = node.file;
  return { name, modified, isDirectory: false, size, isEmpty: size === 0 };
}

function* filesIn(folder: FolderNode, before: string): Generator<{ path: string; node: FileNode }> {
  for (const node of folder.inside.values()) {
    const path = before + node.name;
    if (isFolder(node)) yield* filesIn(node, `${path}/`);
    else yield { path, node };
  }
}

function heightOf(node: Node): number {
  if (!isFolder(node)) return 1;
  return 1 + [...node.inside.values()].reduce((most, each) => Math.max(most, heightOf(each)), 0);
}

function longestIn(node: Node, name: string): number {
  if (!isFolder(node)) return name.length;
  const inside = [...node.inside.values()].map((each) => 1 + longestIn(each, each.name));
  return name.length + inside.reduce((most, each) => Math.max(most, each), 0);
}

function freeName(above: FolderNode, wanted: string): string {
  let name = wanted;
  for (let count = 2; above.inside.has(keyOf(name)); count += 1) name = numberedName(wanted, count);
  return name;
}

function requireShort(depth: number, length: number): void {
  if (depth > MAX_DEPTH || length > MAX_TRANSFER_PATH)
    throw new FolderFailure('failed', 'the path to it would be too long');
}

function absent(): FolderFailure {
  return new FolderFailure('absent', 'it is not there');
}

function gone(): FolderFailure {
  return new FolderFailure('gone', 'it is there no longer');
}
