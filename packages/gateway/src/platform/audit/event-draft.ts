/** An event before it has its place in the chain: checked, bounded, with what its columns hold. */
import { randomBytes } from 'node:crypto';
import type { EventType } from '@gatehouse/contract/events/define-event';
import { canonicalFields } from '../std/canonical-json.ts';
import { type Said, saidBy, saidTogether } from '../storage/event-words.ts';
import { readJson } from '../storage/json.ts';
import { boundColumn, boundFields, plainJson } from './bound-fields.ts';
import type { HashedRow } from './chain.ts';
import { columnsOf, type FieldColumns, type FixedFields, fixedFields } from './fixed-fields.ts';
import { currentRequestId } from './request-scope.ts';

/** What an event stands on, for searching and for what was done under one sign-in. */
export interface EventContext {
  signInId?: string;
  sessionId?: string;
  address?: string;
  /** What all events say that are told with it: each may as well say otherwise, and is then only told more slowly. */
  about?: Readonly<Record<string, unknown>>;
}

export type EventDraft = Omit<HashedRow, 'chain' | 'chain_index' | 'prev_hash'>;

/** Beside what the event declares: the call that caused it, for finding everything of one call. */
export const REQUEST_FIELD = 'request_id';

export function draftEvent(
  type: EventType,
  given: Record<string, unknown>,
  { signInId, sessionId, address, about }: EventContext,
  { clusterName, time }: { clusterName: string; time: number },
): EventDraft {
  const names = namesOf(type);
  const fixed = about && fixedFields(type, about, names);
  const { columns, data, said } = (fixed?.areIn(given) && besideFixed(fixed, given)) || whole(type, given, names);
  const draft = {
    uid: timedId(time),
    time,
    event: type.event,
    code: type.code,
    severity: type.severity,
    user: columns.user,
    sign_in: boundColumn(signInId ?? ''),
    session: sessionId === undefined ? columns.session : boundColumn(sessionId),
    resource_kind: columns.resource_kind,
    resource_name: columns.resource_name,
    address: address === undefined ? columns.address : boundColumn(address),
    cluster: clusterName,
    data,
  };
  known.set(draft, said);
  return draft;
}

interface Drafted {
  columns: FieldColumns;
  data: string;
  said: Said;
}

function whole(type: EventType, given: Record<string, unknown>, names: readonly string[]): Drafted {
  // Through the schema: a field nobody declared, and so nobody checked for secrets, is dropped here.
  const parsed: Record<string, unknown> = type.fields.parse(given);
  const usual = plainJson(withRequest(parsed), names);
  const fields = usual === undefined ? boundFields(parsed) : parsed;
  const told = withRequest(fields);
  return { columns: columnsOf(type, fields), data: usual ?? canonicalFields(told, names), said: saidBy(told) };
}

/** The same, where most of it is known already. Undefined where what is beside it needs bounds or escapes. */
function besideFixed(fixed: FixedFields, given: Record<string, unknown>): Drafted | undefined {
  const others = withRequest(fixed.othersOf(given));
  const data = fixed.plainJson(others);
  if (data === undefined) return undefined;
  return { columns: fixed.columns, data, said: saidTogether(fixed.said, saidBy(others)) };
}

function withRequest(fields: Record<string, unknown>): Record<string, unknown> {
  const requestId = currentRequestId();
  return requestId === undefined ? fields : { ...fields, [REQUEST_FIELD]: requestId };
}

/** What `data` says, until the draft is forgotten: reading it back takes as long as writing it. */
const known = new WeakMap<Pick<EventDraft, 'data'>, Said>();

export function saidIn(draft: Pick<EventDraft, 'data'>): Said {
  return known.get(draft) ?? saidBy(readJson(draft.data));
}

const namesByType = new WeakMap<EventType, readonly string[]>();

/** Of all that an event of this type may say, in the order in which it is written. */
function namesOf(type: EventType): readonly string[] {
  const all = namesByType.get(type) ?? [...new Set([...Object.keys(type.fields.shape), REQUEST_FIELD])].sort();
  namesByType.set(type, all);
  return all;
}

const RANDOM_BYTES = 10;
const MADE_AT_ONCE = 400;
/** In hexadecimal. Asked of the machine for many at a time: one by one, it is the slowest part of an event. */
let random = '';
let randomUsed = 0;

/** A UUID of version 7: those of later events sort later, so that a log of millions grows at one end of its index. */
export function timedId(time: number): string {
  if (randomUsed === random.length) {
    random = randomBytes(MADE_AT_ONCE * RANDOM_BYTES).toString('hex');
    randomUsed = 0;
  }
  const hex = random.slice(randomUsed, randomUsed + 2 * RANDOM_BYTES);
  randomUsed += 2 * RANDOM_BYTES;
  const at = Math.trunc(Math.max(0, time)).toString(16).padStart(12, '0');
  const variant = '89ab'[Number.parseInt(hex[4] ?? '0', 16) & 3];
  return `${at.slice(0, 8)}-${at.slice(8)}-7${hex.slice(1, 4)}-${variant}${hex.slice(5, 8)}-${hex.slice(8)}`;
}
