/** Requests that list folders, a bounded number of names at a time. */
import { lstat, mkdir, opendir, rmdir } from 'node:fs/promises';
import { STATUS } from '@gatehouse/contract/kinds/node/files/sftp';
import { handleAnswer, type NamedFile, namesAnswer, okAnswer } from './answers.ts';
import { readAttributes } from './attributes.ts';
import type { OpenFolder } from './handles.ts';
import { longNameOf } from './long-name.ts';
import { change, look, type Request, type Work } from './request.ts';
import { SftpFailure } from './sftp-failure.ts';

const NAMES_AT_ONCE = 100;
/** Each name comes twice, with some hundred bytes about it. */
const LISTING_BYTES = NAMES_AT_ONCE * 700;
const DEFAULT_PERMISSIONS = 0o777;

export function openFolder({ id, body, handles }: Request): Work {
  const path = body.path();
  return look(async () => {
    const handle = await handles.add(async (key) => ({
      kind: 'folder',
      folder: await opendir(path, { encoding: 'buffer' as BufferEncoding, bufferSize: NAMES_AT_ONCE }),
      path,
      key,
      unlisted: [Buffer.from('.'), Buffer.from('..')],
    }));
    return handleAnswer(id, handle);
  });
}

export function readFolder({ id, body, handles, accounts }: Request): Work {
  const open = handles.folder(body.bytes());
  const run = async () => {
    for (;;) {
      const names = await nextNames(open);
      if (names.length === 0) throw new SftpFailure(STATUS.eof, 'the end of the folder');
      const found = await Promise.all(names.map((name) => describe(open.path, name)));
      const files = found.filter((file) => file !== undefined);
      // All of them may have been removed meanwhile, and an answer without names would be taken for the end.
      if (files.length === 0) continue;
      const now = Date.now();
      return namesAnswer(
        id,
        files.map(({ name, stats }) => ({
          name,
          stats,
          longName: longNameOf(name, stats, accounts, now),
        })) satisfies NamedFile[],
      );
    }
  };
  // One after the other: each goes on where the one before stopped.
  return { ...change(run, { file: open.key }), answerBytes: LISTING_BYTES };
}

async function nextNames({ folder, unlisted }: OpenFolder): Promise<Buffer[]> {
  const names = unlisted.splice(0);
  while (names.length < NAMES_AT_ONCE) {
    const entry = await folder.read();
    if (!entry) break;
    names.push(Buffer.from(entry.name));
  }
  return names;
}

async function describe(folder: Buffer, name: Buffer) {
  try {
    return { name, stats: await lstat(Buffer.concat([folder, Buffer.from('/'), name])) };
  } catch {
    return undefined;
  }
}

export function makeFolder({ id, body }: Request): Work {
  const path = body.path();
  const { permissions = DEFAULT_PERMISSIONS } = readAttributes(body);
  return change(async () => {
    await mkdir(path, { mode: permissions });
    return okAnswer(id);
  });
}

export function removeFolder({ id, body }: Request): Work {
  const path = body.path();
  return change(async () => {
    await rmdir(path);
    return okAnswer(id);
  });
}
