/** What a host is told of files, folders and the drive itself, in each of the forms that it asks for. */
import type { FolderEntry } from '../../shared-folder.ts';
import { u32s, u64, wide } from './drive-messages.ts';

const DIRECTORY = 0x10;
const NORMAL = 0x80;
/** From 1601 to 1970. */
const EPOCH_MS = 11_644_473_600_000n;
const TICKS_PER_MS = 10_000n;
const SECTOR_BYTES = 512;
const SECTORS_PER_UNIT = 8;
const UNIT_BYTES = BigInt(SECTOR_BYTES * SECTORS_PER_UNIT);
/** What is free in a folder of a page is not known to it: told is what lets programs try. */
const UNKNOWN_ROOM = { totalBytes: 2 ** 40, freeBytes: 2 ** 39 };
const DISK = 7;
/** Keeps case, and names of Unicode. */
const FILE_SYSTEM = 0x02 | 0x04;
const MAX_NAME_CHARACTERS = 255;

const time = (ms: number): Buffer => u64((BigInt(Math.trunc(ms)) + EPOCH_MS) * TICKS_PER_MS);
const times = ({ modified }: FolderEntry): Buffer[] => [1, 2, 3, 4].map(() => time(modified));
const attributes = ({ isDirectory }: FolderEntry): number => (isDirectory ? DIRECTORY : NORMAL);
const allocated = ({ size }: FolderEntry): Buffer => u64(((BigInt(size) + UNIT_BYTES - 1n) / UNIT_BYTES) * UNIT_BYTES);

const units = (bytes: number): Buffer => u64(BigInt(bytes) / UNIT_BYTES);

/** Of one that is open. Undefined: no such form. */
export function fileInfo(form: number, entry: FolderEntry, isDeleted: boolean): Buffer | undefined {
  switch (form) {
    case 4:
      return Buffer.concat([...times(entry), u32s(attributes(entry))]);
    case 5: {
      const flags = Buffer.of(isDeleted ? 1 : 0, entry.isDirectory ? 1 : 0);
      return Buffer.concat([allocated(entry), u64(BigInt(entry.size)), u32s(1), flags]);
    }
    case 35:
      return u32s(attributes(entry), 0);
    default:
      return undefined;
  }
}

export function isListForm(form: number): boolean {
  return [1, 2, 3, 12].includes(form);
}

/** One of a list. */
export function listedInfo(form: number, entry: FolderEntry): Buffer {
  const name = wide(entry.name);
  if (form === 12) return Buffer.concat([u32s(0, 0, name.length), name]);
  const sizes = [u64(BigInt(entry.size)), allocated(entry)];
  const head = [u32s(0, 0), ...times(entry), ...sizes, u32s(attributes(entry), name.length)];
  // Extended attributes: none. Then the short name of old programs: none.
  const more = form === 1 ? [] : form === 2 ? [u32s(0)] : [u32s(0), Buffer.alloc(25)];
  return Buffer.concat([...head, ...more, name]);
}

export function volumeInfo(form: number, label: string, room = UNKNOWN_ROOM): Buffer | undefined {
  const sectors = u32s(SECTORS_PER_UNIT, SECTOR_BYTES);
  const total = units(room.totalBytes);
  const free = units(room.freeBytes);
  switch (form) {
    case 1: {
      const name = wide(label);
      return Buffer.concat([u64(0n), u32s(0, name.length), Buffer.of(0), name]);
    }
    case 3:
      return Buffer.concat([total, free, sectors]);
    case 4:
      return u32s(DISK, 0);
    case 5: {
      const name = wide('FAT32');
      return Buffer.concat([u32s(FILE_SYSTEM, MAX_NAME_CHARACTERS, name.length), name]);
    }
    case 7:
      return Buffer.concat([total, free, free, sectors]);
    default:
      return undefined;
  }
}
