/** An event of the log as a person reads it. Whatever arrives, hostile or broken, comes out as a row and never as an exception. */

import { type EventType, type Severity, type Subject, severityOf, subjectOf, userOf } from '../events/define-event.ts';
import { actorText, isOwnActor } from '../identity/own-actors.ts';
import { visibleText } from '../std/visible-text.ts';
import { recoveryCodeFailed } from './account-events.ts';
import { eventType } from './catalogue.ts';
import { EVENT_FAMILIES, type EventFamily, type EventIcon } from './event-families.ts';
import { rawJson } from './raw-json.ts';
import { readFields, unreadableFields } from './read-fields.ts';
import { authAttemptFailed, lockedOut, userLoginFailed } from './sign-in-events.ts';

export interface ToldEvent {
  /** The event's own id, or its name and time where it has none; two broken events may share one. */
  id: string;
  code: string;
  /** Its name on the wire. */
  event: string;
  label: string;
  severity: Severity;
  family: EventFamily;
  icon: EventIcon;
  /** One line of plain text. */
  message: string;
  /** ISO 8601 in UTC, or empty. */
  time: string;
  user: string;
  /** The same as people read it: words for those of ours that are no users. */
  who: string;
  /** What it is about, for a link; both empty where it is about nothing in particular. */
  subject: Subject;
  /** Id of the session it belongs to, or empty. */
  session: string;
  address: string;
  /** False for codes that are not in the catalogue. */
  known: boolean;
}

export const UNKNOWN_EVENT_LABEL = 'Unknown';

/** Longest line; what is longer hides the rows below. */
export const MESSAGE_LENGTH = 1_000;
const NAME_LENGTH = 256;

export function tellEvent(raw: unknown): ToldEvent {
  try {
    return told(ownFields(raw), raw);
  } catch {
    return { ...told({}, undefined), message: 'this event cannot be read' };
  }
}

/** Names of the fields that are missing or hold what they should not; the raw JSON has what is really there. */
export function unreadableIn(raw: unknown): string[] {
  try {
    const fields = ownFields(raw);
    const type = eventType(textIn(fields, 'code'));
    return type ? unreadableFields(type, fields) : [];
  } catch {
    return [];
  }
}

function told(fields: Record<string, unknown>, raw: unknown): ToldEvent {
  const code = textIn(fields, 'code');
  const type = eventType(code);
  const event = shownIn(fields, 'event');
  const time = timeIn(fields);
  const family = type?.family ?? 'unknown';
  const subject = type ? subjectOf(type, fields) : { kind: '', name: '' };
  return {
    id: shownIn(fields, 'uid') || `${event}:${time}`,
    code: visibleText(code, NAME_LENGTH),
    event,
    label: type?.label ?? UNKNOWN_EVENT_LABEL,
    severity: type?.severity ?? severityOf(code) ?? 'info',
    family,
    icon: EVENT_FAMILIES[family].icon,
    message: type ? messageOf(type, fields) : rawJson(raw, { indent: 0, maxLength: MESSAGE_LENGTH / 2 }).text,
    time,
    user: visibleText(userOf(fields), NAME_LENGTH),
    who: visibleText(isClaimed(fields) ? userOf(fields) : actorText(userOf(fields)), NAME_LENGTH),
    subject: { kind: visibleText(subject.kind, NAME_LENGTH), name: visibleText(subject.name, NAME_LENGTH) },
    session: shownIn(fields, 'sid'),
    address: shownIn(fields, 'addr.remote'),
    known: type !== undefined,
  };
}

/** A mistake of ours in one line must not cost the page: such an event is told by its label. */
export function messageOf(type: EventType, fields: Record<string, unknown>): string {
  try {
    return visibleText(type.tell(readFields(type, withActorWords(fields))).text, MESSAGE_LENGTH);
  } catch {
    return type.label;
  }
}

/** Here the name is what somebody typed who is not in yet: anybody can try to sign in under any name. */
const CLAIMED: readonly string[] = [userLoginFailed, authAttemptFailed, lockedOut, recoveryCodeFailed].map(
  ({ event }) => event,
);

function isClaimed(fields: Record<string, unknown>): boolean {
  return CLAIMED.includes(textIn(fields, 'event'));
}

const ACTOR_FIELDS = ['user', 'updated_by'] as const;

function withActorWords(fields: Record<string, unknown>): Record<string, unknown> {
  const own = ACTOR_FIELDS.filter((name) => isOwnActor(textIn(fields, name)));
  if (own.length === 0 || isClaimed(fields)) return fields;
  const told: Record<string, unknown> = Object.assign(Object.create(null), fields);
  for (const name of own) told[name] = actorText(textIn(fields, name));
  return told;
}

function timeIn(fields: Record<string, unknown>): string {
  const { time } = fields;
  const at = new Date(typeof time === 'string' || typeof time === 'number' ? time : Number.NaN);
  return Number.isNaN(at.getTime()) ? '' : at.toISOString();
}

function shownIn(fields: Record<string, unknown>, name: string): string {
  return visibleText(textIn(fields, name), NAME_LENGTH);
}

function textIn(fields: Record<string, unknown>, name: string): string {
  const value = fields[name];
  return typeof value === 'string' ? value : '';
}

/** Without a prototype: `constructor` is no field, and `__proto__` is one like any other. */
function ownFields(raw: unknown): Record<string, unknown> {
  const isObject = typeof raw === 'object' && raw !== null && !Array.isArray(raw);
  return Object.assign(Object.create(null), isObject ? raw : {});
}
