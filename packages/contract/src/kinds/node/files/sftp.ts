/** The numbers of SFTP version 3 (draft-ietf-secsh-filexfer-02), which the gateway speaks to servers and the agent answers. */

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
export type RequestType = (typeof REQUEST)[keyof typeof REQUEST];

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

export const ATTRIBUTE = { size: 1, owner: 2, permissions: 4, times: 8, extended: 0x8000_0000 } as const;

/** OpenSSH's own, which other servers have taken up, and one of ours. */
export const EXTENSION = {
  posixRename: 'posix-rename@openssh.com',
  statvfs: 'statvfs@openssh.com',
  hardlink: 'hardlink@openssh.com',
  fsync: 'fsync@openssh.com',
  limits: 'limits@openssh.com',
  /** Our own agents': a path; answered with how many were removed and 1 when nothing is left, each 64 bits. */
  removeTree: 'remove-tree@gatehouse',
} as const;
