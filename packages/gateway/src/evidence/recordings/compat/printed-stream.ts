/** A recording as clients of the wire reference read it: events with the place of what they print, in one stream of bytes. */
import type { Session } from '../../../sessions/host/session-store.ts';
import { readAhead } from '../format/read-ahead.ts';
import { readItems } from '../format/read-recording.ts';
import { walkFrames } from '../format/walk-frames.ts';
import { openCharacterBytes } from '../index/ends-inside.ts';
import type { RecordingSource } from '../stores/recording-store.ts';

export interface WireEvent {
  [field: string]: unknown;
  event: string;
  time: string;
  ei: number;
}

/** What is printed within this is one event: their player does not tell it apart anyway. */
const TOGETHER_MS = 20;
/** In a recording of many events, within this. */
const LATER_TOGETHER_MS = 250;
const MANY_EVENTS = 50_000;
const MAX_CHARACTER_BYTES = 4;

interface Print {
  ms: number;
  offset: number;
  bytes: number;
}

export async function printedEvents(source: RecordingSource, session: Session): Promise<WireEvent[]> {
  const events: WireEvent[] = [];
  const base = {
    sid: session.id,
    user: session.user,
    server_id: session.action.resource.id,
    cluster_name: session.cluster,
  };
  const add = (event: string, ms: number, fields: object) => {
    const time = new Date(session.created + ms).toISOString();
    events.push({ event, time, ei: events.length, ms, ...fields });
  };
  let prints = 0;
  let print: Print | undefined;
  const flush = () => {
    if (!print) return;
    add('print', print.ms, { bytes: print.bytes, offset: print.offset, ci: prints });
    prints += 1;
    print = undefined;
  };
  let started = false;
  let ended = false;
  for await (const { item, offset } of printedItems(source)) {
    if (item.type === 'output') {
      const apart = events.length > MANY_EVENTS ? LATER_TOGETHER_MS : TOGETHER_MS;
      const follows = print && print.offset + print.bytes === offset && item.ms - print.ms < apart;
      if (!follows) flush();
      print ??= { ms: item.ms, offset, bytes: 0 };
      print.bytes += item.bytes.length;
      continue;
    }
    flush();
    if (item.type === 'size') {
      const size = `${item.cols}:${item.rows}`;
      if (started) add('resize', item.ms, { ...base, code: 'T2002I', size });
      else add('session.start', item.ms, { ...base, code: 'T2000I', size, login: loginOf(session) });
      started = true;
    }
    if (item.type === 'end') {
      add('session.end', item.ms, endOf(base, session));
      ended = true;
    }
  }
  flush();
  // Their player waits for the end: a recording that breaks off ends where it does.
  if (!ended && session.ended) {
    const last = events.at(-1)?.ms;
    add('session.end', typeof last === 'number' ? last : 0, endOf(base, session));
  }
  return events;
}

/** From an offset on; a character at either edge belongs to the piece it begins in. */
export async function printedBytes(source: RecordingSource, from: number, length: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  const end = from + length + MAX_CHARACTER_BYTES;
  let reached = from;
  if (length === 0) return Buffer.alloc(0);
  for await (const { item, offset } of printedItems(source, from)) {
    if (item.type !== 'output') continue;
    if (offset >= end) break;
    // What was never recorded keeps its place.
    if (offset > reached) parts.push(Buffer.alloc(offset - reached));
    const part = item.bytes.subarray(Math.max(0, from - offset), end - offset);
    parts.push(part);
    reached = Math.max(reached, offset + item.bytes.length);
  }
  const all = Buffer.concat(parts);
  let begin = 0;
  if (from > 0) while (begin < MAX_CHARACTER_BYTES && isInside(all[begin])) begin += 1;
  let stop = Math.min(all.length, length);
  if (openCharacterBytes(all.subarray(0, stop)) > 0) while (isInside(all[stop])) stop += 1;
  return all.subarray(begin, Math.max(begin, stop));
}

/** Frames that print nothing from the offset on are passed over. */
async function* printedItems(source: RecordingSource, from = 0) {
  const ahead = readAhead(source);
  for await (const frame of walkFrames(ahead)) {
    if (frame.type === 'seal' || (from > 0 && frame.to <= from)) continue;
    let offset = frame.from;
    for (const item of await readItems(ahead, frame).catch(() => [])) {
      if (item.type === 'gap') offset = item.to;
      yield { item, offset };
      if (item.type === 'output') offset += item.bytes.length;
    }
  }
}

function isInside(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x80 && byte < 0xc0;
}

function loginOf({ action }: Session): string {
  return 'login' in action ? action.login : '';
}

function endOf(base: object, { participants, created, ended }: Session) {
  const time = (ms: number) => new Date(ms).toISOString();
  return {
    ...base,
    code: 'T2004I',
    participants,
    interactive: true,
    enhanced_recording: false,
    session_start: time(created),
    ...(ended ? { session_stop: time(ended.at) } : {}),
  };
}
