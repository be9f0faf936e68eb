/** A folder that is shared with a host, wherever it lies. Paths are relative to it, with slashes; they are checked before they come here. */

export interface FolderEntry {
  /** Without the path to it. */
  name: string;
  isDirectory: boolean;
  size: number;
  /** Milliseconds since 1970. */
  modified: number;
  isEmpty: boolean;
}

export type FolderFault = 'absent' | 'exists' | 'failed' | 'full' | 'late' | 'gone' | 'unsupported';

export class FolderFailure extends Error {
  readonly fault: FolderFault;
  constructor(fault: FolderFault, message: string) {
    super(message);
    this.name = 'FolderFailure';
    this.fault = fault;
  }
}

/** Each throws `FolderFailure`. No piece is longer than a MiB. */
export interface SharedFolder {
  info(path: string): Promise<FolderEntry>;
  list(path: string): Promise<readonly FolderEntry[]>;
  create(path: string, isDirectory: boolean): Promise<void>;
  remove(path: string): Promise<void>;
  read(path: string, offset: number, length: number): Promise<Uint8Array>;
  /** Gives how much of it was written. */
  write(path: string, offset: number, bytes: Uint8Array): Promise<number>;
  move(path: string, to: string): Promise<void>;
  /** Shorter or longer. Absent: it can only be emptied. */
  resize?(path: string, size: number): Promise<void>;
  /** The host has closed a file. */
  settle?(path: string): void;
  /** Absent: nobody knows. */
  room?(): { totalBytes: number; freeBytes: number };
}

/** What a host did with a file. */
export interface FileUse {
  what: 'read' | 'write';
  path: string;
  offset: number;
  length: number;
  /** Why it could not. */
  error?: string;
}

/** What whoever shares a folder decides and hears. */
export interface FolderShare {
  name: string;
  folder: SharedFolder;
  /** Asked before each request. */
  mayPass(): boolean;
  /** The host has taken it, or not; once. */
  onTaken(isTaken: boolean): void;
  /** Waited for before a file is read or written. */
  turn(use: Pick<FileUse, 'what' | 'path'>): Promise<void>;
  onUse(use: FileUse): void;
}
