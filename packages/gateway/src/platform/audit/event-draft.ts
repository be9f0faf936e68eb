/** An event before it has its place in the chain: checked, bounded, with what its columns hold. */
import { randomFillSync } from 'node:crypto';
import { type EventType, subjectOf, userOf } from '@gatehouse/contract/events/define-event';
import { canonicalFields } from '../std/canonical-json.ts';
import { readJson } from '../storage/json.ts';
import { boundColumn, boundFields, plainJson } from './bound-fields.ts';
import type { HashedRow } from './chain.ts';
import { currentRequestId } from './request-scope.ts';

/** What an event stands on, for searching and for what was done under one sign-in. */
export interface EventContext {
  signInId?: string;
  sessionId?: string;
  address?: string;
}

export type EventDraft = Omit<HashedRow, 'chain' | 'chain_index' | 'prev_hash'>;

/** Beside what the event declares: the call that caused it, for finding everything of one call. */
export const REQUEST_FIELD = 'request_id';

export function draftEvent(
  type: EventType,
  given: Record<string, unknown>,
  { signInId, sessionId, address }: EventContext,
  { clusterName, time }: { clusterName: string; time: number },
): EventDraft {
  // Through the schema: a field nobody declared, and so nobody checked for secrets, is dropped here.
  const parsed: Record<string, unknown> = type.fields.parse(given);
  const requestId = currentRequestId();
  const names = namesOf(type);
  const within = (fields: Record<string, unknown>) =>
    requestId === undefined ? fields : { ...fields, [REQUEST_FIELD]: requestId };
  const usual = plainJson(within(parsed), names);
  const fields = usual === undefined ? boundFields(parsed) : parsed;
  const told = within(fields);
  const subject = subjectOf(type, fields);
  const draft = {
    uid: timedId(time),
    time,
    event: type.event,
    code: type.code,
    severity: type.severity,
    user: boundColumn(userOf(fields)),
    sign_in: boundColumn(signInId ?? ''),
    session: boundColumn(sessionId ?? text(fields.sid)),
    resource_kind: boundColumn(subject.kind),
    resource_name: boundColumn(subject.name),
    address: boundColumn(address ?? text(fields['addr.remote'])),
    cluster: clusterName,
    data: usual ?? canonicalFields(told, names),
  };
  known.set(draft, told);
  return draft;
}

/** What `data` says, until the draft is forgotten: reading it back takes as long as writing it. */
const known = new WeakMap<Pick<EventDraft, 'data'>, unknown>();

export function dataOf(draft: Pick<EventDraft, 'data'>): unknown {
  return known.get(draft) ?? readJson(draft.data);
}

const namesByType = new WeakMap<EventType, readonly string[]>();

/** Of all that an event of this type may say, in the order in which it is written. */
function namesOf(type: EventType): readonly string[] {
  const all = namesByType.get(type) ?? [...new Set([...Object.keys(type.fields.shape), REQUEST_FIELD])].sort();
  namesByType.set(type, all);
  return all;
}

const RANDOM_BYTES = 10;
/** Asked of the machine for many at a time: one by one, it is the slowest part of an event. */
const random = Buffer.alloc(400 * RANDOM_BYTES);
let randomUsed = random.length;

/** A UUID of version 7: those of later events sort later, so that a log of millions grows at one end of its index. */
export function timedId(time: number): string {
  if (randomUsed === random.length) {
    randomFillSync(random);
    randomUsed = 0;
  }
  const bytes = random.subarray(randomUsed, randomUsed + RANDOM_BYTES);
  randomUsed += RANDOM_BYTES;
  bytes[0] = 0x70 | (bytes[0]! & 0x0f);
  bytes[2] = 0x80 | (bytes[2]! & 0x3f);
  const at = Math.trunc(Math.max(0, time)).toString(16).padStart(12, '0');
  const hex = bytes.toString('hex');
  return `${at.slice(0, 8)}-${at.slice(8)}-${hex.slice(0, 4)}-${hex.slice(4, 8)}-${hex.slice(8)}`;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
