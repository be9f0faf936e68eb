/** How this machine's C library lays out a record of utmp(5): its tail differs between architectures, and who reads it with the wrong one sees 1970 and half of the users. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface UtmpLayout {
  bytes: number;
  /** Where the time stands, and how wide its two numbers are. */
  time: number;
  width: 4 | 8;
}

/** glibc keeps the times of 32-bit programs on some architectures (x86_64) and has 64-bit ones on others (arm64). */
export const UTMP_LAYOUTS: readonly UtmpLayout[] = [
  { bytes: 384, time: 340, width: 4 },
  { bytes: 400, time: 344, width: 8 },
];

const SAMPLE_TIME_MS = Date.UTC(2001, 1, 3, 4, 5, 6);
/** As `who` writes it without a language. */
const SAMPLE_DATE = 'Feb  3 04:05';

export function writeTime(record: Buffer, { time, width }: UtmpLayout, nowMs: number): void {
  const seconds = Math.floor(nowMs / 1000);
  const micros = (nowMs % 1000) * 1000;
  if (width === 8) {
    record.writeBigInt64LE(BigInt(seconds), time);
    record.writeBigInt64LE(BigInt(micros), time + width);
  } else {
    record.writeUInt32LE(seconds >>> 0, time);
    record.writeInt32LE(micros, time + width);
  }
}

/** Asked of `who`, the program that reads what we write: the layout with which it shows the right day. Undefined where it shows none. */
export function askUtmpLayout(sampleOf: (layout: UtmpLayout, nowMs: number) => Buffer): UtmpLayout | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-utmp-'));
  try {
    const file = join(folder, 'utmp');
    return UTMP_LAYOUTS.find((layout) => {
      writeFileSync(file, sampleOf(layout, SAMPLE_TIME_MS));
      return whoPrints(file).includes(SAMPLE_DATE);
    });
  } catch {
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function whoPrints(file: string): string {
  const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
  return execFileSync('who', [file], { encoding: 'utf8', env, timeout: 2000, stdio: ['ignore', 'pipe', 'ignore'] });
}
