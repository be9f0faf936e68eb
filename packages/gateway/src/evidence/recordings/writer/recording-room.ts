/** Says whether a recording may take more: of its own share, and of the disk. */
import { statfs } from 'node:fs/promises';

const MEGABYTE = 1_000_000;
const LOOK_EVERY_MS = 5_000;
/** A session whose own recording is smaller has not filled the disk. */
const LARGE_BYTES = 64 * MEGABYTE;
/** Of what all recordings may take: the oldest go for new ones, and no session alone may push out more than this. */
const MAX_SHARE = 10;

export interface RecordingLimits {
  /** 0: no limit, like the others. */
  maxSessionMegabytes: number;
  maxMegabytes: number;
  keepFreeMegabytes: number;
}

export interface RecordingRoom {
  /**
   * Asked about a recording of so many bytes that will grow. Gives why its session has to end; throws when the disk is
   * nearly full by no fault of this session.
   */
  check(bytes: number): Promise<string | undefined>;
}

interface RoomDeps {
  folder: string;
  limits: RecordingLimits;
  freeBytes?: (folder: string) => Promise<number>;
}

export function createRecordingRoom({ folder, limits, freeBytes = freeOn }: RoomDeps): RecordingRoom {
  const { maxSessionMegabytes, maxMegabytes, keepFreeMegabytes } = limits;
  const shares = [maxSessionMegabytes, maxMegabytes / MAX_SHARE].filter((megabytes) => megabytes > 0);
  const most = Math.min(...shares);
  let free = Number.POSITIVE_INFINITY;
  let lookedAt = Number.NEGATIVE_INFINITY;

  const isScarce = async () => {
    if (keepFreeMegabytes === 0) return false;
    if (performance.now() - lookedAt >= LOOK_EVERY_MS) {
      lookedAt = performance.now();
      // A disk that cannot be asked is written to: whether it takes anything shows then.
      free = await freeBytes(folder).catch(() => Number.POSITIVE_INFINITY);
    }
    return free < keepFreeMegabytes * MEGABYTE;
  };

  return {
    async check(bytes) {
      if (bytes >= most * MEGABYTE) return `its recording has reached ${Math.floor(most)} MB, the most for one session`;
      if (!(await isScarce())) return undefined;
      const scarce = `less than ${keepFreeMegabytes} MB are free where recordings are kept`;
      if (bytes < LARGE_BYTES) throw new Error(scarce);
      return `its recording is large, and ${scarce}`;
    },
  };
}

async function freeOn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
