/** What many events say alike, as all that are told of one session: checked, written and taken apart into words once for each type of event, and not for each event anew. */
import { type EventType, subjectOf, userOf } from '@gatehouse/contract/events/define-event';
import type { z } from 'zod';
import { BoundedMap } from '../std/bounded-map.ts';
import { type Said, saidBy } from '../storage/event-words.ts';
import { boundColumn, plainJoined, plainParts } from './bound-fields.ts';

/** What of an event's columns comes of its fields. */
export interface FieldColumns {
  user: string;
  session: string;
  resource_kind: string;
  resource_name: string;
  address: string;
}

export interface FixedFields {
  columns: FieldColumns;
  said: Said;
  /** Whether an event has them all. */
  areIn(given: Readonly<Record<string, unknown>>): boolean;
  /** What it says beside them, through the schema. */
  othersOf(given: Readonly<Record<string, unknown>>): Record<string, unknown>;
  /** As `plainJson` of both together. */
  plainJson(others: Readonly<Record<string, unknown>>): string | undefined;
}

type Names = readonly string[];
/** Of one type of event: what sessions say of themselves differs by a few fields that may be absent. */
const MAX_SCHEMAS = 64;
const schemas = new WeakMap<EventType, BoundedMap<string, z.ZodType<Record<string, unknown>>>>();
const known = new WeakMap<object, Map<EventType, FixedFields | undefined>>();

/** `about` stays as it is. Undefined where nothing is won by it. `names`: all that an event of this type may say, sorted. */
export function fixedFields(
  type: EventType,
  about: Readonly<Record<string, unknown>>,
  names: Names,
): FixedFields | undefined {
  const byType = known.get(about);
  if (byType?.has(type)) return byType.get(type);
  const made = makeFixed(type, about, names);
  if (byType) byType.set(type, made);
  else known.set(about, new Map([[type, made]]));
  return made;
}

export function columnsOf(type: EventType, fields: Readonly<Record<string, unknown>>): FieldColumns {
  const { kind, name } = subjectOf(type, fields);
  return {
    user: boundColumn(userOf(fields)),
    session: boundColumn(text(fields.sid)),
    resource_kind: boundColumn(kind),
    resource_name: boundColumn(name),
    address: boundColumn(text(fields['addr.remote'])),
  };
}

function makeFixed(type: EventType, about: Readonly<Record<string, unknown>>, names: Names): FixedFields | undefined {
  const { shape } = type.fields;
  const given = Object.keys(about).filter((name) => name in shape && about[name] !== undefined);
  // Of a column that another field fills, nothing is known yet.
  const filling = ['user', 'sid', 'addr.remote', ...type.about.flatMap(({ name, kindIn = name }) => [name, kindIn])];
  if (filling.some((name) => name in shape && !given.includes(name))) return undefined;
  const fields: Record<string, unknown> = type.fields.pick(maskOf(given)).parse(about);
  const parts = plainParts(fields, names);
  if (!parts) return undefined;
  const others = othersIn(type, given);
  return {
    columns: columnsOf(type, fields),
    said: saidBy(fields),
    areIn: (all) => given.every((name) => all[name] === about[name]),
    othersOf: (all) => others.parse(all),
    plainJson: (some) => plainJoined(parts, some),
  };
}

/** All that the schema has beside some. Made once for the sessions that say the same of themselves: it is compiled when it is first used. */
function othersIn(type: EventType, some: Names): z.ZodType<Record<string, unknown>> {
  const key = some.join(' ');
  const all = schemas.get(type) ?? new BoundedMap<string, z.ZodType<Record<string, unknown>>>(MAX_SCHEMAS);
  const schema = all.get(key) ?? type.fields.omit(maskOf(some));
  schemas.set(type, all.set(key, schema));
  return schema;
}

function maskOf(names: Names): Record<string, true> {
  return Object.fromEntries(names.map((name) => [name, true]));
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
