/** The numbers of SFTP version 3 (draft-ietf-secsh-filexfer-02), and the bounds this server keeps. */

export const SFTP_VERSION = 3;

export const REQUEST = {
  init: 1,
  open: 3,
  close: 4,
  read: 5,
  write: 6,
  lstat: 7,
  fstat: 8,
  setstat: 9,
  fsetstat: 10,
  opendir: 11,
  readdir: 12,
  remove: 13,
  mkdir: 14,
  rmdir: 15,
  realpath: 16,
  stat: 17,
  rename: 18,
  readlink: 19,
  symlink: 20,
  extended: 200,
} as const;

export const ANSWER = {
  version: 2,
  status: 101,
  handle: 102,
  data: 103,
  name: 104,
  attributes: 105,
  extended: 201,
} as const;

export const STATUS = {
  ok: 0,
  eof: 1,
  noSuchFile: 2,
  permissionDenied: 3,
  failure: 4,
  badMessage: 5,
  unsupported: 8,
} as const;
export type Status = (typeof STATUS)[keyof typeof STATUS];

export const OPEN_FLAG = { read: 1, write: 2, append: 4, create: 8, truncate: 16, exclusive: 32 } as const;

export const EXTENSION = {
  posixRename: 'posix-rename@openssh.com',
  statvfs: 'statvfs@openssh.com',
  hardlink: 'hardlink@openssh.com',
  fsync: 'fsync@openssh.com',
  limits: 'limits@openssh.com',
} as const;

/** Told to clients, who take it for what they may send and will get: theirs end at 256 KiB. */
export const LIMITS = { packetBytes: 256 * 1024, readBytes: 255 * 1024, writeBytes: 255 * 1024, handles: 256 } as const;

/** Taken at most: a client that writes 256 KiB at once, which many do, needs room for the rest of its message. */
export const MOST_PACKET_BYTES = 257 * 1024;
