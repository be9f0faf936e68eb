/** Tells `who` and `last` about a login, where the machine still keeps those files (utmp(5)). */
import { appendFileSync, closeSync, existsSync, openSync, readSync, writeSync } from 'node:fs';
import { basename } from 'node:path';
import { askUtmpLayout, type UtmpLayout, writeTime } from './utmp-layout.ts';

export const UTMP_FILES = { utmp: '/run/utmp', wtmp: '/var/log/wtmp' };
const USER_PROCESS = 7;
const DEAD_PROCESS = 8;
const AT = { type: 0, pid: 4, line: 8, id: 40, user: 44, host: 76 } as const;
const LENGTH = { line: 32, id: 4, user: 32, host: 256 } as const;

export interface LoginRecord {
  /** `/dev/pts/3` */
  device: string;
  pid: number;
  user: string;
}

/** Returns what writes the logout. Never throws: a login does not depend on being counted. */
export function recordLogin(login: LoginRecord, files = UTMP_FILES, now: () => number = Date.now): () => void {
  if (!Object.values(files).some((file) => existsSync(file))) return () => {};
  const layout = ownLayout();
  if (!layout) return () => {};
  write(files, recordOf(layout, USER_PROCESS, login, now()));
  return () => write(files, recordOf(layout, DEAD_PROCESS, { ...login, user: '' }, now()));
}

/** Asked once: a C library does not change under a running agent. */
let asked: { layout: UtmpLayout | undefined } | undefined;
function ownLayout(): UtmpLayout | undefined {
  const sample = { device: '/dev/pts/0', pid: process.pid, user: 'sample' };
  asked ??= { layout: askUtmpLayout((layout, nowMs) => recordOf(layout, USER_PROCESS, sample, nowMs)) };
  return asked.layout;
}

function write({ utmp, wtmp }: typeof UTMP_FILES, record: Buffer): void {
  try {
    if (existsSync(utmp)) replaceRecord(utmp, record);
    if (existsSync(wtmp)) appendFileSync(wtmp, record);
  } catch {
    // Not root, or a file system without room.
  }
}

/** In the place of the terminal's last record: nobody else writes that one while the terminal is ours. */
function replaceRecord(file: string, record: Buffer): void {
  const fd = openSync(file, 'r+');
  try {
    const found = Buffer.alloc(record.length);
    const id = record.subarray(AT.id, AT.id + LENGTH.id);
    let at = 0;
    while (readSync(fd, found, 0, found.length, at) === found.length) {
      if (found.subarray(AT.id, AT.id + LENGTH.id).equals(id)) break;
      at += found.length;
    }
    writeSync(fd, record, 0, record.length, at);
  } finally {
    closeSync(fd);
  }
}

function recordOf(layout: UtmpLayout, type: number, { device, pid, user }: LoginRecord, nowMs: number): Buffer {
  const record = Buffer.alloc(layout.bytes);
  const put = (field: keyof typeof LENGTH, text: string) => record.write(text.slice(0, LENGTH[field]), AT[field]);
  record.writeInt16LE(type, AT.type);
  record.writeInt32LE(pid, AT.pid);
  put('line', device.replace('/dev/', ''));
  put('id', `ts/${basename(device)}`.slice(-LENGTH.id));
  put('user', user);
  put('host', 'gatehouse');
  writeTime(record, layout, nowMs);
  return record;
}
