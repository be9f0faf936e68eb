/** What is told of files that a client of SFTP uses through the gateway: what was done, with what, and what came of it. */

export type SftpOperation =
  | 'open'
  | 'close'
  | 'setstat'
  | 'fsetstat'
  | 'remove'
  | 'mkdir'
  | 'rmdir'
  | 'rename'
  | 'symlink'
  | 'hardlink';

/** As the wire reference names them; only what was given. */
export interface SetAttributes {
  file_size?: number;
  uid?: number;
  gid?: number;
  permissions?: number;
  access_time?: number;
  modification_time?: number;
}

export interface SftpObservation {
  operation: SftpOperation;
  /** Of a link, the link itself. */
  path: string;
  /** The new name, or where a link leads. */
  to?: string;
  /** With which a file was opened. */
  flags?: number;
  attributes?: SetAttributes;
  /** Of what was closed: bytes that went each way. */
  transferred?: { read: number; written: number };
  /** Where paths that do not begin with a slash begin, as far as the client has asked for it. */
  home: string;
  /** Why it failed, in the server's words. */
  error?: string;
}
