/** Events of files reached by SFTP: each operation done, and each that failed. */
import { z } from 'zod';
import { defineEvent } from '../../events/define-event.ts';
import { anyObject, byUser, connection, server, session } from '../../events/event-fields.ts';
import { because, line, when } from '../../events/line.ts';

const fields = {
  ...byUser,
  ...connection,
  ...session,
  ...server,
  working_directory: z.string(),
  path: z.string(),
  target_path: z.string().optional(),
  flags: z.number().optional(),
  attributes: anyObject.optional(),
  action: z.number(),
  error: z.string().optional(),
} as const;

/** `done` follows the user's name, `attempted` follows "could not". */
function sftp(number: string, operation: string, [done, attempted]: readonly [string, string]) {
  const about = { kind: 'node', name: 'server_hostname' } as const;
  return [
    defineEvent({
      code: `TS${number}I`,
      event: 'sftp',
      label: `SFTP ${operation}`,
      about,
      fields,
      tell: ({ user, path, target_path, server_hostname, 'addr.local': local }) =>
        line`${user} ${done} ${path}${when(target_path, line` to ${target_path}`)} on ${server_hostname || local}`,
    }),
    defineEvent({
      code: `TS${number}E`,
      event: 'sftp',
      label: `SFTP ${operation} Failed`,
      about,
      fields,
      tell: ({ user, path, target_path, error, server_hostname, 'addr.local': local }) =>
        line`${user} could not ${attempted} ${path}${when(target_path, line` to ${target_path}`)} on ${server_hostname || local}${because(error)}`,
    }),
  ] as const;
}

export const [sftpOpened, sftpOpenFailed] = sftp('001', 'Open', ['opened', 'open']);
export const [sftpClosed, sftpCloseFailed] = sftp('002', 'Close', ['closed', 'close']);
export const [sftpRead, sftpReadFailed] = sftp('003', 'Read', ['read', 'read']);
export const [sftpWritten, sftpWriteFailed] = sftp('004', 'Write', ['wrote', 'write']);
export const [sftpLstat, sftpLstatFailed] = sftp('005', 'Lstat', [
  'looked at the link or file',
  'look at the link or file',
]);
export const [sftpFstat, sftpFstatFailed] = sftp('006', 'Fstat', ['looked at the open file', 'look at the open file']);
export const [sftpSetstat, sftpSetstatFailed] = sftp('007', 'Setstat', [
  'changed the attributes of',
  'change the attributes of',
]);
export const [sftpFsetstat, sftpFsetstatFailed] = sftp('008', 'Fsetstat', [
  'changed the attributes of the open file',
  'change the attributes of the open file',
]);
export const [sftpOpendir, sftpOpendirFailed] = sftp('009', 'Opendir', ['opened the directory', 'open the directory']);
export const [sftpReaddir, sftpReaddirFailed] = sftp('010', 'Readdir', ['listed the directory', 'list the directory']);
export const [sftpRemoved, sftpRemoveFailed] = sftp('011', 'Remove', ['removed', 'remove']);
export const [sftpMkdir, sftpMkdirFailed] = sftp('012', 'Mkdir', ['made the directory', 'make the directory']);
export const [sftpRmdir, sftpRmdirFailed] = sftp('013', 'Rmdir', ['removed the directory', 'remove the directory']);
export const [sftpRealpath, sftpRealpathFailed] = sftp('014', 'Realpath', ['resolved the path', 'resolve the path']);
export const [sftpStat, sftpStatFailed] = sftp('015', 'Stat', ['looked at', 'look at']);
export const [sftpRenamed, sftpRenameFailed] = sftp('016', 'Rename', ['renamed', 'rename']);
export const [sftpReadlink, sftpReadlinkFailed] = sftp('017', 'Readlink', ['read the link', 'read the link']);
export const [sftpSymlink, sftpSymlinkFailed] = sftp('018', 'Symlink', ['made the link', 'make the link']);
