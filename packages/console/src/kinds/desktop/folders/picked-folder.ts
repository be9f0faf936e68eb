/** A folder of this machine that somebody picked, as the gateway asks for it. Nothing outside of it can be named, whatever is asked. */
import { MAX_PAGE_FRAME } from '@gatehouse/contract/sessions/desktop-frames';
import {
  DIRECTORY_ERROR,
  type DirectoryAnswer,
  type DirectoryRequest,
  directoryAnswer,
  MAX_LISTED_FILES,
  MAX_PIECE_BYTES,
  NO_FILE,
  type SharedFile,
} from '@gatehouse/contract/sessions/directory-messages';

/** What is written lies in a copy until it is closed: with each piece anew, a large file would be copied thousands of times. */
export const WRITER_RESTS_MS = 2_000;
const MAX_WRITERS = 8;

type Picker = (options: { mode: 'readwrite'; id: string }) => Promise<FileSystemDirectoryHandle>;
const picker = (): Picker | undefined => (window as { showDirectoryPicker?: Picker }).showDirectoryPicker;

/** Chromium alone lets pages at folders. */
export function canPickFolders(): boolean {
  return picker() !== undefined;
}

/** Undefined: they thought better of it. */
export async function pickFolder(): Promise<FileSystemDirectoryHandle | undefined> {
  try {
    return await picker()?.call(window, { mode: 'readwrite', id: 'desktop' });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined;
    throw error;
  }
}

interface Writer {
  stream: FileSystemWritableFileStream;
  timer: ReturnType<typeof setTimeout>;
}

export class PickedFolder {
  readonly name: string;
  readonly #root: FileSystemDirectoryHandle;
  readonly #writers = new Map<string, Writer>();
  /** One after the other: what is read behind a piece that is written must be that piece. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(root: FileSystemDirectoryHandle) {
    this.#root = root;
    this.name = driveName(root.name);
  }

  /** The bytes of its answer; never rejects. */
  answer(request: DirectoryRequest): Promise<Uint8Array> {
    const answered = this.#turn.then(async () => {
      const answer = await this.#do(request).catch((error: unknown) => failed(request, errorOf(error)));
      const bytes = directoryAnswer(answer);
      // A list that the gateway would not take ends the whole line.
      return bytes.length < MAX_PAGE_FRAME ? bytes : directoryAnswer(failed(request, DIRECTORY_ERROR.failed));
    });
    this.#turn = answered;
    return answered;
  }

  /** Puts what was written where it belongs. */
  close(): Promise<void> {
    const closed = this.#turn.then(() => this.#flush()).catch(() => undefined);
    this.#turn = closed;
    return closed;
  }

  async #do(request: DirectoryRequest): Promise<DirectoryAnswer> {
    const done = { id: request.id, error: DIRECTORY_ERROR.none };
    const { path } = request;
    if (request.type === 'write') {
      const written = await this.#write(path, request.offset, request.bytes);
      return { ...done, type: 'write', written };
    }
    await this.#flush();
    switch (request.type) {
      case 'info':
        return { ...done, type: 'info', file: await describe(path, await this.#find(path)) };
      case 'list':
        return { ...done, type: 'list', files: await this.#list(path) };
      case 'create':
        return { ...done, type: 'create', file: await this.#create(path, request.isDirectory) };
      case 'delete': {
        const { parent, name } = await this.#parent(path);
        await parent.removeEntry(name);
        return { ...done, type: 'delete' };
      }
      case 'read':
        return { ...done, type: 'read', bytes: await this.#read(path, request.offset, request.length) };
      case 'move':
        await this.#move(path, request.to);
        return { ...done, type: 'move' };
    }
  }

  async #directory(parts: readonly string[]): Promise<FileSystemDirectoryHandle> {
    let found = this.#root;
    for (const part of parts) found = await found.getDirectoryHandle(part);
    return found;
  }

  async #parent(path: string): Promise<{ parent: FileSystemDirectoryHandle; name: string }> {
    const parts = partsOf(path);
    const name = parts.pop();
    if (name === undefined) throw new TypeError('the folder itself cannot be changed');
    return { parent: await this.#directory(parts), name };
  }

  async #find(path: string): Promise<FileSystemDirectoryHandle | FileSystemFileHandle> {
    if (path === '') return this.#root;
    const { parent, name } = await this.#parent(path);
    try {
      return await parent.getFileHandle(name);
    } catch (error) {
      if (!isNamed(error, 'TypeMismatchError')) throw error;
      return await parent.getDirectoryHandle(name);
    }
  }

  async #list(path: string): Promise<SharedFile[]> {
    const directory = await this.#directory(partsOf(path));
    const files: SharedFile[] = [];
    for await (const [name, handle] of directory.entries()) {
      if (files.length === MAX_LISTED_FILES) throw new RangeError('there are more than can be told');
      const inside = path === '' ? name : `${path}/${name}`;
      // One that went away meanwhile, or that may not be read, is not there.
      const file = await describe(inside, handle).catch(() => undefined);
      if (file) files.push(file);
    }
    return files;
  }

  async #create(path: string, isDirectory: boolean): Promise<SharedFile> {
    const { parent, name } = await this.#parent(path);
    const before = await this.#find(path).catch((error: unknown) => {
      if (isNamed(error, 'NotFoundError')) return undefined;
      throw error;
    });
    if (before) throw new DOMException('it is there already', 'TypeMismatchError');
    const options = { create: true };
    const made = isDirectory ? parent.getDirectoryHandle(name, options) : parent.getFileHandle(name, options);
    return describe(path, await made);
  }

  async #read(path: string, offset: number, length: number): Promise<Uint8Array> {
    const file = await (await this.#file(path)).getFile();
    const piece = file.slice(offset, offset + Math.min(length, MAX_PIECE_BYTES));
    return new Uint8Array(await piece.arrayBuffer());
  }

  async #file(path: string): Promise<FileSystemFileHandle> {
    const { parent, name } = await this.#parent(path);
    return await parent.getFileHandle(name);
  }

  async #write(path: string, offset: number, bytes: Uint8Array): Promise<number> {
    const writer = this.#writers.get(path) ?? (await this.#open(path));
    clearTimeout(writer.timer);
    writer.timer = setTimeout(() => void this.close(), WRITER_RESTS_MS);
    await writer.stream.write({ type: 'write', position: offset, data: Uint8Array.from(bytes) });
    return bytes.length;
  }

  async #open(path: string): Promise<Writer> {
    if (this.#writers.size >= MAX_WRITERS) await this.#flush();
    const stream = await (await this.#file(path)).createWritable({ keepExistingData: true });
    const writer = { stream, timer: setTimeout(() => undefined, 0) };
    this.#writers.set(path, writer);
    return writer;
  }

  async #flush(): Promise<void> {
    const writers = [...this.#writers.values()];
    this.#writers.clear();
    for (const { timer } of writers) clearTimeout(timer);
    const closed = await Promise.allSettled(writers.map(({ stream }) => stream.close()));
    const lost = closed.find(({ status }) => status === 'rejected');
    if (lost) throw (lost as PromiseRejectedResult).reason;
  }

  /** By a copy: browsers move no files of this machine. Folders stay where they are. */
  async #move(path: string, to: string): Promise<void> {
    const from = await this.#parent(path);
    const source = await from.parent.getFileHandle(from.name);
    const target = await this.#parent(to);
    const made = await target.parent.getFileHandle(target.name, { create: true });
    await (await source.getFile()).stream().pipeTo(await made.createWritable());
    await from.parent.removeEntry(from.name);
  }
}

/** Folders of other systems, and roots of drives, have names that no drive can have. */
function driveName(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  return name.replace(/[\u0000-\u001f/\\:*?"<>|\u007f]/gu, '_').replace(/[. ]+$/u, '') || 'Folder';
}

/** The browser refuses such names as well: nobody should have to rely on that. */
function partsOf(path: string): string[] {
  const parts = path === '' ? [] : path.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..' || part.includes('\\')))
    throw new TypeError('no path of this folder');
  return parts;
}

async function describe(path: string, handle: FileSystemDirectoryHandle | FileSystemFileHandle): Promise<SharedFile> {
  if (handle.kind === 'directory') return { ...NO_FILE, path, isDirectory: true, isEmpty: false };
  const { size, lastModified } = await handle.getFile();
  return { path, modified: lastModified, size, isDirectory: false, isEmpty: size === 0 };
}

function isNamed(error: unknown, name: string): boolean {
  return error instanceof DOMException && error.name === name;
}

function errorOf(error: unknown): number {
  if (isNamed(error, 'NotFoundError')) return DIRECTORY_ERROR.absent;
  return isNamed(error, 'TypeMismatchError') ? DIRECTORY_ERROR.exists : DIRECTORY_ERROR.failed;
}

function failed({ id, type }: DirectoryRequest, error: number): DirectoryAnswer {
  const head = { id, error };
  switch (type) {
    case 'info':
    case 'create':
      return { ...head, type, file: NO_FILE };
    case 'read':
      return { ...head, type, bytes: new Uint8Array() };
    case 'write':
      return { ...head, type, written: 0 };
    case 'list':
      return { ...head, type, files: [] };
    default:
      return { ...head, type };
  }
}
