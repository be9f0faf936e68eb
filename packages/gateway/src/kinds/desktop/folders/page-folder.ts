/** A folder that somebody picked in their page: each request goes there as a message of the wire and waits for its answer. */
import {
  BrokenMessage,
  DIRECTORY_ERROR,
  type DirectoryAnswer,
  type DirectoryRequest,
  directoryRequest,
  type SharedFile,
} from '@gatehouse/contract/sessions/directory-messages';
import { type FolderEntry, FolderFailure, type SharedFolder } from '../engine/shared-folder.ts';

/** A page that is asleep, or asks its person. */
export const MAX_ANSWER_MS = 30_000;

type Unsent<T> = T extends unknown ? Omit<T, 'id' | 'directory'> : never;
type Answer<T> = DirectoryAnswer & { type: T };

interface Waiting {
  type: DirectoryRequest['type'];
  answered(answer: DirectoryAnswer): void;
  failed(error: FolderFailure): void;
  timer: ReturnType<typeof setTimeout>;
}

export class PageFolder implements SharedFolder {
  readonly #directory: number;
  readonly #send: (bytes: Uint8Array) => void;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;
  #isClosed = false;

  constructor(directory: number, send: (bytes: Uint8Array) => void) {
    this.#directory = directory;
    this.#send = send;
  }

  waitsFor(id: number): boolean {
    return this.#waiting.has(id);
  }

  /** One to a question that nobody asked, or that was waited for too long, is passed over. */
  hear(answer: DirectoryAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    if (!waiting) return;
    if (waiting.type !== answer.type) throw new BrokenMessage('an answer is to another question than was asked');
    this.#waiting.delete(answer.id);
    clearTimeout(waiting.timer);
    if (answer.error === DIRECTORY_ERROR.none) waiting.answered(answer);
    else waiting.failed(failureOf(answer.error));
  }

  /** Nothing more is asked, and what was is not waited for. */
  close(): void {
    this.#isClosed = true;
    for (const { timer, failed } of this.#waiting.values()) {
      clearTimeout(timer);
      failed(gone());
    }
    this.#waiting.clear();
  }

  async info(path: string): Promise<FolderEntry> {
    return entryOf((await this.#ask<'info'>({ type: 'info', path })).file);
  }

  async list(path: string): Promise<readonly FolderEntry[]> {
    return (await this.#ask<'list'>({ type: 'list', path })).files.map(entryOf);
  }

  async create(path: string, isDirectory: boolean): Promise<void> {
    await this.#ask<'create'>({ type: 'create', path, isDirectory });
  }

  async remove(path: string): Promise<void> {
    await this.#ask<'delete'>({ type: 'delete', path });
  }

  async read(path: string, offset: number, length: number): Promise<Uint8Array> {
    return (await this.#ask<'read'>({ type: 'read', path, offset, length })).bytes;
  }

  async write(path: string, offset: number, bytes: Uint8Array): Promise<number> {
    return (await this.#ask<'write'>({ type: 'write', path, offset, bytes })).written;
  }

  async move(path: string, to: string): Promise<void> {
    await this.#ask<'move'>({ type: 'move', path, to });
  }

  #ask<T extends DirectoryRequest['type']>(
    question: Unsent<Extract<DirectoryRequest, { path: string }>> & { type: T },
  ): Promise<Answer<T>> {
    if (this.#isClosed) return Promise.reject(gone());
    this.#last = (this.#last + 1) >>> 0;
    const id = this.#last;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new FolderFailure('late', 'the page did not answer in time'));
      }, MAX_ANSWER_MS);
      timer.unref();
      const answered = (answer: DirectoryAnswer) => resolve(answer as Answer<T>);
      this.#waiting.set(id, { type: question.type, answered, failed: reject, timer });
      this.#send(directoryRequest({ ...question, id, directory: this.#directory } as DirectoryRequest));
    });
  }
}

/** Only the last part of a path: where it lies is known by what was asked. */
function entryOf({ path, isDirectory, size, modified, isEmpty }: SharedFile): FolderEntry {
  return { name: path.slice(path.lastIndexOf('/') + 1), isDirectory, size, modified, isEmpty };
}

function failureOf(error: number): FolderFailure {
  if (error === DIRECTORY_ERROR.absent) return new FolderFailure('absent', 'it is not there');
  if (error === DIRECTORY_ERROR.exists) return new FolderFailure('exists', 'it is there already');
  return new FolderFailure('failed', 'the page could not do it');
}

function gone(): FolderFailure {
  return new FolderFailure('gone', 'it is shared no longer');
}
