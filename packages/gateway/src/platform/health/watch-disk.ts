/** Notices that nothing can be stored for want of room: told by its name, counted, red for balancers, and over by itself. */
import { statfs } from 'node:fs/promises';
import { Counter, type Registry } from 'prom-client';
import type { Log } from '../std/log.ts';
import { toldError } from '../std/told-error.ts';
import { createTrouble } from '../std/trouble.ts';
import { DISK_IS_FULL, isDiskFull, isStoreDown } from '../storage/errors.ts';
import type { Storage } from '../storage/storage.ts';
import { watchNumber } from './metrics.ts';
import { NotReady } from './readiness.ts';

/** With less than this not even the next page of the database fits for long. */
const MIN_FREE_BYTES = 1_000_000;
const LOOK_EVERY_MS = 5_000;

export interface DiskWatch {
  /** Throws in words for everybody while nothing can be stored. */
  check(): Promise<void>;
  close(): void;
}

interface DiskWatchDeps {
  storage: Pick<Storage, 'engine' | 'onError' | 'probeWrite'>;
  dataDir: string;
  registry: Registry;
  log: Log;
  now: () => number;
  room?: (folder: string) => Promise<Room>;
}

export interface Room {
  freeBytes: number;
  /** Files that can still be made; undefined where the file system does not count them. */
  freeFiles: number | undefined;
}

export function watchDisk({ storage, dataDir, registry, log, now, room = roomOn }: DiskWatchDeps): DiskWatch {
  const words = { begun: DISK_IS_FULL, over: 'the disk has room again' };
  const trouble = createTrouble({ log, now, words });
  const errors = new Counter({
    name: 'gatehouse_store_errors_total',
    help: 'Statements that failed because of the store itself: `disk_full` or `down`.',
    labelNames: ['reason'],
    registers: [registry],
  });
  for (const reason of ['disk_full', 'down']) errors.inc({ reason }, 0);
  let freeBytes = Number.NaN;
  watchNumber(registry, {
    name: 'gatehouse_disk_free_bytes',
    help: 'Room on the disk of the data folder that this user may still fill.',
    read: () => freeBytes,
  });
  watchNumber(registry, {
    name: 'gatehouse_disk_full',
    help: '1 while nothing can be stored for want of room, here or at the database.',
    read: () => (trouble.isOn ? 1 : 0),
  });
  storage.onError((error) => {
    if (isDiskFull(error)) {
      errors.inc({ reason: 'disk_full' });
      trouble.failed(toldError(error));
    } else if (isStoreDown(error)) errors.inc({ reason: 'down' });
  });

  /** Why nothing fits into the data folder; a disk that cannot be asked is written to, whether it takes anything shows then. */
  async function scarcity(): Promise<string | undefined> {
    const found = await room(dataDir).catch(() => undefined);
    if (!found) return undefined;
    freeBytes = found.freeBytes;
    if (freeBytes < MIN_FREE_BYTES) return `less than ${MIN_FREE_BYTES / 1_000_000} MB are free at ${dataDir}`;
    return found.freeFiles === 0 ? `no more files can be made at ${dataDir}` : undefined;
  }

  async function look(): Promise<void> {
    const scarce = await scarcity();
    if (scarce !== undefined) return trouble.failed(scarce);
    if (!trouble.isOn) return;
    // An error of it is heard above, like every other.
    await storage.probeWrite().then(
      () => trouble.worked(),
      () => undefined,
    );
  }
  const timer = setInterval(() => void look(), LOOK_EVERY_MS).unref();
  void look();

  return {
    async check() {
      await look();
      if (trouble.isOn) throw new NotReady(DISK_IS_FULL);
    },
    close: () => clearInterval(timer),
  };
}

async function roomOn(folder: string): Promise<Room> {
  const { bavail, bfree, bsize, files, ffree } = await statfs(folder);
  // Some of it is kept for root.
  const blocks = process.getuid?.() === 0 ? bfree : bavail;
  return { freeBytes: blocks * bsize, freeFiles: files > 0 ? ffree : undefined };
}
