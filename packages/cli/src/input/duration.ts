/** Reads how long something lasts, as people write it: 90s, 30m, 12h, 7d. */
import { InvalidArgumentError } from 'commander';

const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };

export function parseDurationSeconds(text: string): number {
  const match = /^(\d{1,9})([smhd])$/.exec(text);
  const seconds = Number(match?.[1]) * (SECONDS[match?.[2] ?? ''] ?? Number.NaN);
  if (!Number.isSafeInteger(seconds) || seconds === 0)
    throw new InvalidArgumentError('write it like 90s, 30m, 12h or 7d.');
  return seconds;
}
