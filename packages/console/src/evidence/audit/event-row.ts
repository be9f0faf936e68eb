/** An event of the log as a row: what came, and what can be told of it when somebody looks. */
import type { WireEvent } from '@gatehouse/contract/audit/search';
import { type ToldEvent, tellEvent } from '@gatehouse/contract/audit/tell-event';
import { formatDateTime } from '@gatehouse/contract/std/dates';

export interface EventRow {
  /** Its id; broken events may share one, and then it is numbered. */
  key: string;
  raw: WireEvent;
}

const told = new WeakMap<WireEvent, ToldEvent>();

/** Told once, and only when it comes into sight. */
export function toldOf({ raw }: EventRow): ToldEvent {
  const known = told.get(raw);
  if (known) return known;
  const fresh = tellEvent(raw);
  told.set(raw, fresh);
  return fresh;
}

export function rowsOf(events: readonly WireEvent[]): EventRow[] {
  const seen = new Map<string, number>();
  return events.map((raw) => {
    const id = idOf(raw);
    const times = seen.get(id) ?? 0;
    seen.set(id, times + 1);
    return { key: times === 0 ? id : `${id}#${times}`, raw };
  });
}

export function idOf(raw: WireEvent): string {
  const { uid } = raw;
  return typeof uid === 'string' && uid !== '' ? uid : tellEvent(raw).id;
}

/** The universal time of what is shown in local time. */
export function utcOf(time: string | number): string {
  const at = new Date(time);
  return Number.isNaN(at.getTime()) ? '' : `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

export function localOf(time: string | number): string {
  return time === '' ? '' : formatDateTime(time);
}
