/** One drive of a host: a shared folder, with what the host has open in it. Every request is answered once, whatever the folder does. */
import { MAX_LISTED_FILES, MAX_PIECE_BYTES } from '@gatehouse/contract/sessions/directory-messages';
import type { FieldReader } from '../../field-reader.ts';
import { type FolderEntry, FolderFailure, type FolderFault, type FolderShare } from '../../shared-folder.ts';
import { fileInfo, isListForm, listedInfo, volumeInfo } from './drive-info.ts';
import { type DriveRequest, MAJOR, QUERY_DIRECTORY, readU64, readWide, STATUS, u32s } from './drive-messages.ts';
import { isFileName, matchesPattern, readDrivePath, readPattern } from './drive-names.ts';

const MAX_OPEN_FILES = 256;
/** Of all lists that are still to be told: two as long as may be. */
const MAX_LISTED = 2 * MAX_LISTED_FILES;
const DISPOSITION = { supersede: 0, open: 1, create: 2, openIf: 3, overwrite: 4, overwriteIf: 5 } as const;
const OPTION = { directory: 0x01, file: 0x40, deleteOnClose: 0x1000 } as const;
const OUTCOME = { created: 0, opened: 1, overwritten: 3 } as const;
const SET = { basic: 4, rename: 10, disposition: 13, allocation: 19, end: 20 } as const;
const ROOT: FolderEntry = { name: '', isDirectory: true, size: 0, modified: 0, isEmpty: false };

interface OpenFile {
  path: string;
  isDirectory: boolean;
  isDeleted: boolean;
  isWritten: boolean;
  /** What is still to be told of a list. */
  list: FolderEntry[] | undefined;
  /** One request after the other: a host that writes twice means that order. */
  turn: Promise<unknown>;
}

export interface DriveAnswer {
  status: number;
  body: Buffer;
}

const STATUS_OF: Readonly<Record<FolderFault, number>> = {
  absent: STATUS.noSuchFile,
  exists: STATUS.nameCollision,
  failed: STATUS.failed,
  full: STATUS.diskFull,
  late: STATUS.timeout,
  gone: STATUS.disconnected,
  unsupported: STATUS.notSupported,
};

/** Why a request cannot be. */
class Refusal extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`status ${status.toString(16)}`);
    this.status = status;
  }
}

export class Drive {
  readonly share: FolderShare;
  readonly #open = new Map<number, OpenFile>();
  #last = 0;

  constructor(share: FolderShare) {
    this.share = share;
  }

  /** `turn`: waited for before it runs, in the order of its file. Never rejects but by a mistake of ours; throws at once where the request itself is cut short. */
  answer(request: DriveRequest, turn: () => Promise<void>): Promise<DriveAnswer> {
    const run = this.#prepare(request);
    const file = this.#open.get(request.file);
    const answered = (file?.turn ?? Promise.resolve()).then(async () => {
      try {
        await turn();
        if (!this.share.mayPass()) throw new Refusal(STATUS.accessDenied);
        return { status: STATUS.ok, body: await run() };
      } catch (error) {
        return { status: statusOf(error), body: emptyBody(request.major) };
      }
    });
    if (file) file.turn = answered.catch(() => undefined);
    return answered;
  }

  /** Reads all of a request before anything waits: its bytes are not kept. */
  #prepare({ major, minor, file, fields }: DriveRequest): () => Promise<Buffer> {
    switch (major) {
      case MAJOR.create:
        return this.#create(fields);
      case MAJOR.close:
        return () => this.#close(file);
      case MAJOR.read:
        return this.#read(file, fields);
      case MAJOR.write:
        return this.#write(file, fields);
      case MAJOR.queryInfo:
        return this.#queryInfo(file, fields.u32());
      case MAJOR.setInfo:
        return this.#setInfo(file, fields);
      case MAJOR.queryVolume: {
        const info = volumeInfo(fields.u32(), this.share.name, this.share.folder.room?.());
        return async () => withLength(info ?? refuse(STATUS.notSupported));
      }
      case MAJOR.directory:
        return minor === QUERY_DIRECTORY ? this.#list(file, fields) : async () => refuse(STATUS.notSupported);
      case MAJOR.lock:
        // Nobody else is there to be kept out.
        return async () => Buffer.alloc(5);
      default:
        return async () => refuse(STATUS.notSupported);
    }
  }

  #file(id: number): OpenFile {
    return this.#open.get(id) ?? refuse(STATUS.invalidHandle);
  }

  #create(fields: FieldReader): () => Promise<Buffer> {
    fields.skip(20);
    const [disposition, options, length] = [fields.u32(), fields.u32(), fields.u32()];
    const path = readDrivePath(readWide(fields.take(length)));
    return async () => {
      if (path === undefined) return refuse(STATUS.nameInvalid);
      if (this.#open.size >= MAX_OPEN_FILES) return refuse(STATUS.tooManyOpen);
      const { isDirectory, outcome } = await this.#reach(path, disposition, options);
      if (this.#open.size >= MAX_OPEN_FILES) return refuse(STATUS.tooManyOpen);
      this.#last += 1;
      const isDeleted = (options & OPTION.deleteOnClose) !== 0 && path !== '';
      this.#open.set(this.#last, {
        ...{ path, isDirectory, isDeleted, isWritten: false },
        ...{ list: undefined, turn: Promise.resolve() },
      });
      return Buffer.concat([u32s(this.#last), Buffer.of(outcome)]);
    };
  }

  /** Opens it or makes it, as the host says what it wants to find. */
  async #reach(path: string, disposition: number, options: number): Promise<{ isDirectory: boolean; outcome: number }> {
    const { folder } = this.share;
    const found = await this.#look(path);
    if (!found) {
      if (disposition === DISPOSITION.open || disposition === DISPOSITION.overwrite) refuse(STATUS.noSuchFile);
      const isDirectory = (options & OPTION.directory) !== 0;
      await folder.create(path, isDirectory);
      return { isDirectory, outcome: OUTCOME.created };
    }
    const { isDirectory } = found;
    if (disposition === DISPOSITION.create) refuse(STATUS.nameCollision);
    if ((options & OPTION.directory) !== 0 && !isDirectory) refuse(STATUS.notDirectory);
    if ((options & OPTION.file) !== 0 && isDirectory) refuse(STATUS.isDirectory);
    if (disposition === DISPOSITION.open || disposition === DISPOSITION.openIf)
      return { isDirectory, outcome: OUTCOME.opened };
    if (isDirectory) refuse(STATUS.isDirectory);
    await this.#empty(path);
    return { isDirectory, outcome: OUTCOME.overwritten };
  }

  async #look(path: string): Promise<FolderEntry | undefined> {
    if (path === '') return ROOT;
    try {
      return await this.share.folder.info(path);
    } catch (error) {
      if (error instanceof FolderFailure && error.fault === 'absent') return undefined;
      throw error;
    }
  }

  /** Folders of pages know of no shorter file: it is made anew. */
  async #empty(path: string): Promise<void> {
    if (this.share.folder.resize) return this.share.folder.resize(path, 0);
    await this.share.folder.remove(path);
    await this.share.folder.create(path, false);
  }

  async #close(id: number): Promise<Buffer> {
    const { path, isDeleted, isWritten } = this.#file(id);
    const { folder } = this.share;
    this.#open.delete(id);
    if (isDeleted) await folder.remove(path);
    else if (folder.settle) folder.settle(path);
    // A page puts what was written on its disk when it is asked about it: that it cannot is told now or never.
    else if (isWritten) await folder.info(path);
    return Buffer.alloc(4);
  }

  #read(id: number, fields: FieldReader): () => Promise<Buffer> {
    const length = Math.min(fields.u32(), MAX_PIECE_BYTES);
    const offset = readU64(fields);
    return async () => {
      const { path } = this.#ofFile(id);
      if (offset === undefined) return refuse(STATUS.invalidParameter);
      const bytes = await this.#told({ what: 'read', path, offset, length }, async () => {
        const read = await this.share.folder.read(path, offset, length);
        if (read.length > length) throw new FolderFailure('failed', 'more was given than was asked for');
        return { length: read.length, value: read };
      });
      return Buffer.concat([u32s(bytes.length), bytes]);
    };
  }

  #write(id: number, fields: FieldReader): () => Promise<Buffer> {
    const length = fields.u32();
    const offset = readU64(fields);
    // A copy: the message it came in may be one of many in a larger piece.
    const bytes = Buffer.from(fields.skip(20).take(length));
    return async () => {
      const file = this.#ofFile(id);
      const { path } = file;
      if (offset === undefined || length > MAX_PIECE_BYTES) return refuse(STATUS.invalidParameter);
      const written = await this.#told({ what: 'write', path, offset, length }, async () => {
        file.isWritten = true;
        const count = await this.share.folder.write(path, offset, bytes);
        if (count > length) throw new FolderFailure('failed', 'more was written than was given');
        return { length: count, value: count };
      });
      return Buffer.concat([u32s(written), Buffer.alloc(1)]);
    };
  }

  #ofFile(id: number): OpenFile {
    const file = this.#file(id);
    return file.isDirectory ? refuse(STATUS.isDirectory) : file;
  }

  async #told<T>(
    use: { what: 'read' | 'write'; path: string; offset: number; length: number },
    run: () => Promise<{ length: number; value: T }>,
  ): Promise<T> {
    await this.share.turn(use);
    try {
      const { length, value } = await run();
      this.share.onUse({ ...use, length });
      return value;
    } catch (error) {
      if (error instanceof FolderFailure) this.share.onUse({ ...use, length: 0, error: error.message });
      throw error;
    }
  }

  #queryInfo(id: number, form: number): () => Promise<Buffer> {
    return async () => {
      const { path, isDeleted } = this.#file(id);
      const entry = (await this.#look(path)) ?? refuse(STATUS.noSuchFile);
      return withLength(fileInfo(form, entry, isDeleted) ?? refuse(STATUS.notSupported));
    };
  }

  #setInfo(id: number, fields: FieldReader): () => Promise<Buffer> {
    const [form, length] = [fields.u32(), fields.u32()];
    const set = fields.skip(24).take(length);
    const run = this.#setter(id, form, set);
    return async () => {
      await run();
      return Buffer.concat([u32s(length), Buffer.alloc(1)]);
    };
  }

  #setter(id: number, form: number, set: Buffer): () => Promise<void> {
    switch (form) {
      case SET.basic:
      case SET.allocation:
        // Times and room of files of pages are nobody's to set. Programs that copy would fail without.
        return async () => void this.#file(id);
      case SET.end: {
        const size = set.length < 8 ? undefined : Number(set.readBigUInt64LE(0));
        return async () => this.#resize(this.#ofFile(id), size);
      }
      case SET.disposition: {
        // Some say it without a value.
        const isDeleted = set.length === 0 || set[0] !== 0;
        return async () => this.#mark(this.#file(id), isDeleted);
      }
      case SET.rename: {
        const isForced = set[0] === 1;
        const bytes = set.length < 6 ? 0 : set.readUInt32LE(2);
        const to = bytes > set.length - 6 ? undefined : readDrivePath(readWide(set.subarray(6, 6 + bytes)));
        return async () => this.#move(this.#file(id), to, isForced);
      }
      default:
        return async () => refuse(STATUS.notSupported);
    }
  }

  /** Longer than it is: it grows by what is written, which follows. */
  async #resize({ path }: OpenFile, size: number | undefined): Promise<void> {
    if (size === undefined) return refuse(STATUS.invalidParameter);
    if (this.share.folder.resize) return this.share.folder.resize(path, size);
    const entry = (await this.#look(path)) ?? refuse(STATUS.noSuchFile);
    if (size >= entry.size) return;
    if (size > 0) refuse(STATUS.notSupported);
    await this.#empty(path);
  }

  async #mark(file: OpenFile, isDeleted: boolean): Promise<void> {
    if (file.path === '') refuse(STATUS.accessDenied);
    if (isDeleted && file.isDirectory && (await this.share.folder.list(file.path)).length > 0) refuse(STATUS.notEmpty);
    file.isDeleted = isDeleted;
  }

  async #move(file: OpenFile, to: string | undefined, isForced: boolean): Promise<void> {
    if (to === undefined || to === '') return refuse(STATUS.nameInvalid);
    if (file.path === '') refuse(STATUS.accessDenied);
    const there = await this.#look(to);
    if (there && (!isForced || there.isDirectory)) refuse(STATUS.nameCollision);
    if (there) await this.share.folder.remove(to);
    await this.share.folder.move(file.path, to);
    file.path = to;
  }

  #list(id: number, fields: FieldReader): () => Promise<Buffer> {
    const [form, isFirst, length] = [fields.u32(), fields.u8() !== 0, fields.u32()];
    const pattern = readPattern(readWide(fields.skip(23).take(length)));
    return async () => {
      const file = this.#file(id);
      if (!file.isDirectory) return refuse(STATUS.notDirectory);
      if (!isListForm(form)) return refuse(STATUS.notSupported);
      if (isFirst) await this.#beginList(file, pattern);
      const next = file.list?.shift();
      if (next) return withLength(listedInfo(form, next));
      file.list = undefined;
      return refuse(isFirst ? STATUS.noSuchFile : STATUS.noMoreFiles);
    };
  }

  async #beginList(file: OpenFile, pattern: string): Promise<void> {
    file.list = undefined;
    const listed = await this.share.folder.list(file.path);
    const before = [...this.#open.values()].reduce((sum, { list }) => sum + (list?.length ?? 0), 0);
    if (before + listed.length > MAX_LISTED) refuse(STATUS.tooManyOpen);
    // Names that the host could not say again, or that are none, are not there for it.
    file.list = listed.filter(({ name }) => isFileName(name) && matchesPattern(name, pattern || '*'));
  }
}

function refuse(status: number): never {
  throw new Refusal(status);
}

function statusOf(error: unknown): number {
  if (error instanceof Refusal) return error.status;
  if (error instanceof FolderFailure) return STATUS_OF[error.fault];
  throw error;
}

function withLength(body: Buffer): Buffer {
  return Buffer.concat([u32s(body.length), body]);
}

/** Hosts read the fields of an answer that failed as well. */
export function emptyBody(major: number): Buffer {
  return Buffer.alloc(major === MAJOR.close || major === MAJOR.read ? 4 : 5);
}
