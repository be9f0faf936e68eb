/** Which handler serves which request. */
import { statfs } from 'node:fs/promises';
import { EXTENSION, REQUEST, STATUS } from '@gatehouse/contract/kinds/node/files/sftp';
import { extendedAnswer } from './answers.ts';
import { closeHandle, openFile, readFile, setFileAttributes, statFile, syncFile, writeFile } from './file-requests.ts';
import { makeFolder, openFolder, readFolder, removeFolder } from './folder-requests.ts';
import {
  makeHardLink,
  makeSymlink,
  readLink,
  realPath,
  removeFile,
  removeWhole,
  renameFile,
  renameOver,
  setAttributes,
  statLink,
  statPath,
} from './path-requests.ts';
import { look, type Request, type Work } from './request.ts';
import { SftpFailure } from './sftp-failure.ts';
import { LIMITS } from './sftp-limits.ts';

type Plan = (request: Request) => Work;

const MAX_NAME_LENGTH = 255n;

const PLANS = new Map<number, Plan>([
  [REQUEST.open, openFile],
  [REQUEST.close, closeHandle],
  [REQUEST.read, readFile],
  [REQUEST.write, writeFile],
  [REQUEST.lstat, statLink],
  [REQUEST.fstat, statFile],
  [REQUEST.setstat, setAttributes],
  [REQUEST.fsetstat, setFileAttributes],
  [REQUEST.opendir, openFolder],
  [REQUEST.readdir, readFolder],
  [REQUEST.remove, removeFile],
  [REQUEST.mkdir, makeFolder],
  [REQUEST.rmdir, removeFolder],
  [REQUEST.realpath, realPath],
  [REQUEST.stat, statPath],
  [REQUEST.rename, renameFile],
  [REQUEST.readlink, readLink],
  [REQUEST.symlink, makeSymlink],
]);

const EXTENDED_PLANS = new Map<string, Plan>([
  [EXTENSION.posixRename, renameOver],
  [EXTENSION.hardlink, makeHardLink],
  [EXTENSION.fsync, syncFile],
  [EXTENSION.statvfs, tellSpace],
  [EXTENSION.limits, tellLimits],
  [EXTENSION.removeTree, removeWhole],
]);

/** Reads all of the request, so that nothing malformed ever begins to run. */
export function planRequest(type: number, request: Request): Work {
  const plan =
    type === REQUEST.extended ? EXTENDED_PLANS.get(request.body.bytes().toString('latin1')) : PLANS.get(type);
  if (!plan) throw new SftpFailure(STATUS.unsupported, 'this server does not know the request');
  return plan(request);
}

function tellSpace({ id, body }: Request): Work {
  const path = body.path();
  return look(async () => {
    const { bsize, blocks, bfree, bavail, files, ffree } = await statfs(path, { bigint: true });
    const [fileSystem, flags] = [0n, 0n];
    const free = [bfree, bavail, files, ffree, ffree];
    return extendedAnswer(id, [bsize, bsize, blocks, ...free, fileSystem, flags, MAX_NAME_LENGTH]);
  });
}

function tellLimits({ id }: Request): Work {
  const { packetBytes, readBytes, writeBytes, handles } = LIMITS;
  return look(async () => extendedAnswer(id, [packetBytes, readBytes, writeBytes, handles].map(BigInt)));
}
