/** What is told about the folders of a desktop, and what all of them say. */
import type { FileUse } from '../engine/shared-folder.ts';

/** A host that takes drives answers at once. */
export const MAX_TAKING_MS = 10_000;

export const NO_FOLDERS = 'a role of yours does not let folders be shared with desktops';
export const MODERATED =
  'a role of yours lets you on desktops only under the eyes of a moderator, and nobody can watch files being copied';
export const NOT_TAKEN = 'the desktop does not take it: folders may be switched off there';
export const NO_CHANNEL = 'this session has no folders: where a role has come to let them, connect again';

export interface SharedName {
  name: string;
  directory: number;
}

export interface FolderTeller {
  /** `error`: it was not shared, and why. */
  shared(folder: SharedName, error?: string): void;
  used(folder: SharedName, use: FileUse): void;
  /** What was sent to a page has left. */
  sent(): void;
}
