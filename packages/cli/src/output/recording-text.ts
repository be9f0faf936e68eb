/** Recordings in words: lengths, sizes, shares, and whether one is as it was written. */
import type { Recording } from '@gatehouse/contract/recordings/recordings';
import { printable } from '@gatehouse/contract/std/printable';
import { table } from './table.ts';

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

/** A statement as it is played: on its own lines, and below it what failed. Nothing in it acts on a terminal. */
export function statementLine(item: {
  type: string;
  text?: string;
  what?: string;
  error?: string | undefined;
}): string | undefined {
  if (item.type === 'asked' && item.what !== 'prepare') return `${printableLines(item.text ?? '')};\r\n`;
  if (item.type === 'answered' && item.error !== undefined) return `-- failed: ${printable(item.error)}\r\n`;
  return undefined;
}

function printableLines(text: string): string {
  return text.split(/\r?\n/).map(printable).join('\r\n');
}

/** "deploy@web-01", "app@shop/orders", "prod/shop/web-1/api": with what, as whom, and with which part of it. */
function whereOf({
  login,
  resource,
  database,
  inside,
}: Pick<Recording, 'login' | 'resource' | 'database' | 'inside'>): string {
  const place = [resource.name, database, inside].filter((part) => part !== undefined).join('/');
  return login === '' ? place : `${login}@${place}`;
}

export function recordingsText(recordings: readonly Recording[]): string {
  const rows = recordings.map((each) => [
    ...[each.sid, each.started, clock(each.durationMs), each.users.join(', '), whereOf(each)],
    each.reason ? `${each.state}: ${each.reason}` : each.state,
  ]);
  const head = ['session', 'started', 'length', 'users', 'where', 'state'];
  return rows.length === 0 ? 'No sessions.\n' : table([head, ...rows]);
}
