/** Requests about files that are open: read, write, look, change, close. */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { OPEN_FLAG, STATUS } from '@gatehouse/contract/kinds/node/files/sftp';
import { attributesAnswer, dataRoom, handleAnswer, okAnswer } from './answers.ts';
import { readAttributes, type WantedAttributes } from './attributes.ts';
import { closeThing, type OpenFile } from './handles.ts';
import { change, look, type Request, type Work } from './request.ts';
import { SftpFailure } from './sftp-failure.ts';
import { LIMITS } from './sftp-limits.ts';

const DEFAULT_PERMISSIONS = 0o666;

export function openFile({ id, body, handles }: Request): Work {
  const path = body.path();
  const flags = body.uint32();
  const { permissions = DEFAULT_PERMISSIONS } = readAttributes(body);
  const run = async () => {
    const handle = await handles.add(async () => {
      const file = await open(path, systemFlags(flags), permissions);
      return { kind: 'file', file, key: await keyOf(file), appends: (flags & OPEN_FLAG.append) !== 0 };
    });
    return handleAnswer(id, handle);
  };
  return flags & (OPEN_FLAG.create | OPEN_FLAG.truncate) ? change(run) : look(run);
}

function systemFlags(flags: number): number {
  const reads = (flags & OPEN_FLAG.read) !== 0;
  const writes = (flags & (OPEN_FLAG.write | OPEN_FLAG.append)) !== 0;
  if (!reads && !writes) throw new SftpFailure(STATUS.badMessage, 'open asks neither for reading nor for writing');
  const way = reads ? constants.O_RDONLY : constants.O_WRONLY;
  const created = flags & OPEN_FLAG.create ? constants.O_CREAT : 0;
  return (
    (reads && writes ? constants.O_RDWR : way) |
    (flags & OPEN_FLAG.append ? constants.O_APPEND : 0) |
    created |
    (flags & OPEN_FLAG.truncate ? constants.O_TRUNC : 0) |
    (created && flags & OPEN_FLAG.exclusive ? constants.O_EXCL : 0) |
    // A pipe nobody writes to would hold a thread for ever, and four of them the whole server.
    constants.O_NONBLOCK |
    constants.O_NOCTTY
  );
}

async function keyOf(file: FileHandle): Promise<string> {
  try {
    const { dev, ino } = await file.stat();
    return `${dev}:${ino}`;
  } catch (error) {
    await file.close();
    throw error;
  }
}

export function closeHandle({ id, body, handles }: Request): Work {
  const thing = handles.remove(body.bytes());
  const run = async () => {
    await closeThing(thing);
    return okAnswer(id);
  };
  return change(run, { file: thing.key });
}

export function readFile({ id, body, handles }: Request): Work {
  const { file, key } = handles.file(body.bytes());
  const from = body.uint64();
  const count = Math.min(body.uint32(), LIMITS.readBytes);
  return {
    claim: { changes: false, file: key, from, to: from + count },
    answerBytes: count,
    async run() {
      const { room, answer } = dataRoom(count);
      const { bytesRead } = await file.read(room, 0, count, from);
      if (bytesRead === 0 && count > 0) throw new SftpFailure(STATUS.eof, 'the end of the file');
      return answer(id, bytesRead);
    },
  };
}

export function writeFile({ id, body, handles }: Request): Work {
  const target = handles.file(body.bytes());
  const from = body.uint64();
  const bytes = body.bytes();
  const run = async () => {
    await writeAll(target, bytes, from);
    return okAnswer(id);
  };
  const work = change(run, { file: target.key });
  return target.appends ? work : { ...work, claim: { ...work.claim, from, to: from + bytes.length } };
}

async function writeAll({ file, appends }: OpenFile, bytes: Buffer, from: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, appends ? null : from + done);
    done += bytesWritten;
  }
}

export function statFile({ id, body, handles }: Request): Work {
  const { file, key } = handles.file(body.bytes());
  return look(async () => attributesAnswer(id, await file.stat()), { file: key });
}

export function setFileAttributes({ id, body, handles }: Request): Work {
  const { file, key } = handles.file(body.bytes());
  const wanted = readAttributes(body);
  const run = async () => {
    await applyTo(file, wanted);
    return okAnswer(id);
  };
  return change(run, { file: key });
}

async function applyTo(file: FileHandle, { size, permissions, times, owner }: WantedAttributes): Promise<void> {
  if (size !== undefined) await file.truncate(size);
  if (permissions !== undefined) await file.chmod(permissions);
  if (times) await file.utimes(times.accessed, times.modified);
  if (owner) await file.chown(owner.uid, owner.gid);
}

export function syncFile({ id, body, handles }: Request): Work {
  const { file, key } = handles.file(body.bytes());
  const run = async () => {
    await file.sync();
    return okAnswer(id);
  };
  return change(run, { file: key });
}
