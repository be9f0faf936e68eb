/** Recordings in words: lengths, sizes, shares, and whether one is as it was written. */
import { printable } from '@gatehouse/contract/std/printable';

export interface ToldVerdict {
  sid: string;
  ok: boolean;
  checked: number;
  signedMs: number;
  problem?: { at: number; ms: number; reason: string } | undefined;
}

export function verdictText({ sid, ok, checked, signedMs, problem }: ToldVerdict): string {
  const name = printable(sid) || 'the recording';
  if (ok) return `${name} is as it was written: ${checked} frames, signed up to ${clock(signedMs)}`;
  if (!problem) return `${name} is not as it was written`;
  const { at, ms, reason } = problem;
  return `${name} is not whole: at byte ${at}, ${clock(ms)} into the session: ${printable(reason)}; signed up to ${clock(signedMs)}`;
}

/** 1:02:03, or 2:03. */
export function clock(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  const two = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.trunc(seconds / 3600), Math.trunc(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

export function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`;
  return bytes < 1_000_000_000 ? `${(bytes / 1_000_000).toFixed(1)} MB` : `${(bytes / 1_000_000_000).toFixed(1)} GB`;
}

/** 100 % only when it is all of them. */
export function percent(share: number): string {
  return `${Math.floor(share * 1000) / 10} %`;
}
