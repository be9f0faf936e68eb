/** What a page does with a folder when it is asked; the folder is one of the browser's kind, in memory. */
import {
  type DirectoryAnswer,
  type DirectoryRequest,
  MAX_PIECE_BYTES,
  readFromPage,
} from '@gatehouse/contract/sessions/directory-messages';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PickedFolder, WRITER_RESTS_MS } from './picked-folder.ts';

class MemoryFile {
  readonly kind = 'file';
  readonly name: string;
  bytes: Uint8Array<ArrayBuffer> = new Uint8Array();
  /** Copies that were begun. */
  copies = 0;
  isFull = false;
  constructor(name: string, text = '') {
    this.name = name;
    this.bytes = Uint8Array.from(text, (sign) => sign.charCodeAt(0));
  }
  get text() {
    return String.fromCharCode(...this.bytes);
  }
  async getFile() {
    return new File([this.bytes], this.name, { lastModified: 5 });
  }
  async createWritable() {
    this.copies += 1;
    let copy = this.bytes;
    return {
      write: async ({ position, data }: { position: number; data: Uint8Array }) => {
        const longer = new Uint8Array(Math.max(copy.length, position + data.length));
        longer.set(copy);
        longer.set(data, position);
        copy = longer;
      },
      close: async () => {
        if (this.isFull) throw new DOMException('full', 'QuotaExceededError');
        this.bytes = copy;
      },
    };
  }
}

class MemoryDirectory {
  readonly kind = 'directory';
  readonly name: string;
  readonly inside = new Map<string, MemoryFile | MemoryDirectory>();
  constructor(name: string) {
    this.name = name;
  }
  #get(name: string, kind: 'file' | 'directory', create: boolean, make: () => MemoryFile | MemoryDirectory) {
    const found = this.inside.get(name);
    if (found && found.kind !== kind) throw new DOMException('other', 'TypeMismatchError');
    if (!found && !create) throw new DOMException('none', 'NotFoundError');
    const given = found ?? make();
    this.inside.set(name, given);
    return given;
  }
  async getFileHandle(name: string, { create = false } = {}) {
    return this.#get(name, 'file', create, () => new MemoryFile(name));
  }
  async getDirectoryHandle(name: string, { create = false } = {}) {
    return this.#get(name, 'directory', create, () => new MemoryDirectory(name));
  }
  async removeEntry(name: string) {
    if (!this.inside.delete(name)) throw new DOMException('none', 'NotFoundError');
  }
  async *entries() {
    yield* this.inside;
  }
}

let root: MemoryDirectory;
let file: MemoryFile;
let folder: PickedFolder;
beforeEach(() => {
  vi.useFakeTimers();
  root = new MemoryDirectory('Docs');
  file = new MemoryFile('a.txt', 'hello');
  root.inside.set('a.txt', file);
  const sub = new MemoryDirectory('sub');
  sub.inside.set('b.txt', new MemoryFile('b.txt', 'inside'));
  root.inside.set('sub', sub);
  folder = new PickedFolder(root as unknown as FileSystemDirectoryHandle);
});
afterEach(() => void vi.useRealTimers());

type Question = DirectoryRequest extends infer T ? (T extends unknown ? Omit<T, 'id' | 'directory'> : never) : never;

async function ask(question: Question): Promise<DirectoryAnswer> {
  const said = readFromPage(await folder.answer({ ...question, id: 3, directory: 2 } as DirectoryRequest));
  if (said.type !== 'answer') throw new Error('no answer');
  expect(said.answer).toMatchObject({ id: 3, type: question.type });
  return said.answer;
}

test('files and folders are told as they are', async () => {
  expect(await ask({ type: 'info', path: 'a.txt' })).toMatchObject({
    ...{ error: 0, file: { path: 'a.txt', size: 5, modified: 5, isDirectory: false, isEmpty: false } },
  });
  expect(await ask({ type: 'info', path: 'sub' })).toMatchObject({ error: 0, file: { isDirectory: true } });
  expect(await ask({ type: 'info', path: '' })).toMatchObject({ error: 0, file: { isDirectory: true } });
  expect(await ask({ type: 'list', path: 'sub' })).toMatchObject({ error: 0, files: [{ path: 'sub/b.txt', size: 6 }] });
});

test.each(['..', '../a', 'sub/../a.txt', './a.txt', '/a.txt', 'sub//b.txt', 'sub\\b.txt', 'sub/'])(
  'nothing is found by the path %s',
  async (path) => {
    const before = [...root.inside.keys()];
    for (const type of ['info', 'list', 'delete'] as const)
      expect(await ask({ type, path })).toMatchObject({ error: 1 });
    expect(await ask({ type: 'create', path, isDirectory: false })).toMatchObject({ error: 1 });
    expect(await ask({ type: 'write', path, offset: 0, bytes: Uint8Array.of(1) })).toMatchObject({ error: 1 });
    expect(await ask({ type: 'move', path: 'a.txt', to: path })).toMatchObject({ error: 1 });
    expect([...root.inside.keys()]).toEqual(before);
  },
);

test('what is not there, and what is there already, is told apart', async () => {
  expect(await ask({ type: 'info', path: 'none' })).toMatchObject({ error: 2 });
  expect(await ask({ type: 'delete', path: 'none' })).toMatchObject({ error: 2 });
  expect(await ask({ type: 'read', path: 'none/x', offset: 0, length: 1 })).toMatchObject({ error: 2 });
  expect(await ask({ type: 'create', path: 'sub', isDirectory: true })).toMatchObject({ error: 3 });
  expect(await ask({ type: 'delete', path: '' })).toMatchObject({ error: 1 });
});

test('pieces are read, and no more than a MiB at once', async () => {
  expect(await ask({ type: 'read', path: 'a.txt', offset: 1, length: 3 })).toMatchObject({
    bytes: Uint8Array.of(101, 108, 108),
  });
  file.bytes = new Uint8Array(MAX_PIECE_BYTES + 10);
  const { bytes } = (await ask({ type: 'read', path: 'a.txt', offset: 0, length: 2 ** 32 - 1 })) as {
    bytes: Uint8Array;
  };
  expect(bytes).toHaveLength(MAX_PIECE_BYTES);
});

test('a file that is written in many pieces is copied once, and is there when it is asked for', async () => {
  for (let at = 0; at < 5; at += 1)
    await ask({ type: 'write', path: 'a.txt', offset: at, bytes: Uint8Array.of(65 + at) });
  expect([file.copies, file.text]).toEqual([1, 'hello']);
  expect(await ask({ type: 'info', path: 'a.txt' })).toMatchObject({ file: { size: 5 } });
  expect(file.text).toBe('ABCDE');
});

test('what was written is there after a while though nobody asks, and when sharing ends', async () => {
  await ask({ type: 'write', path: 'a.txt', offset: 5, bytes: Uint8Array.of(33) });
  await vi.advanceTimersByTimeAsync(WRITER_RESTS_MS);
  expect(file.text).toBe('hello!');
  await ask({ type: 'write', path: 'a.txt', offset: 0, bytes: Uint8Array.of(72) });
  await folder.close();
  expect(file.text).toBe('Hello!');
});

test('that a disk is full is told to whoever asks next', async () => {
  file.isFull = true;
  await ask({ type: 'write', path: 'a.txt', offset: 0, bytes: Uint8Array.of(1) });
  expect(await ask({ type: 'info', path: 'a.txt' })).toMatchObject({ error: 1 });
  expect(await ask({ type: 'info', path: 'a.txt' })).toMatchObject({ error: 0 });
});

test('a list that would not fit into one message fails, and the next question is answered', async () => {
  for (let at = 0; at < 9_000; at += 1) {
    const name = `${at}-${'x'.repeat(150)}`;
    root.inside.set(name, new MemoryDirectory(name));
  }
  expect(await ask({ type: 'list', path: '' })).toMatchObject({ error: 1, files: [] });
  expect(await ask({ type: 'info', path: 'a.txt' })).toMatchObject({ error: 0 });
});
