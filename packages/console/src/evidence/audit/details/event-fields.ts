/** The fields of an event for reading, whatever is in them: few enough, short enough, with nothing invisible. */
import { rawJson } from '@gatehouse/contract/audit/raw-json';
import type { WireEvent } from '@gatehouse/contract/audit/search';
import { visibleText } from '@gatehouse/contract/std/visible-text';
import type { Translate } from '../../../platform/i18n/words.ts';
import { localOf, utcOf } from '../event-row.ts';

export interface ReadableField {
  /** As on the wire. */
  wireName: string;
  name: string;
  value: string;
  /** For times: what is told to whoever points at it. */
  hint: string | undefined;
}

/** Told above the fields already, or of no use to a reader. */
const ELSEWHERE = ['ei', 'event', 'code', 'time', 'uid', 'user', 'sid', 'addr.remote', 'request_id'];
const MAX_FIELDS = 80;
const NAME_LENGTH = 60;
const VALUE_LENGTH = 2_000;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

export function readableFields(t: Translate, raw: WireEvent): { fields: ReadableField[]; left: number } {
  const names = Object.keys(raw).filter((name) => !ELSEWHERE.includes(name) && !isEmpty(raw[name]));
  const taken = new Set<string>();
  const fields = names.slice(0, MAX_FIELDS).map((wireName) => {
    const shown = visibleText(wireName, NAME_LENGTH);
    const friendly = nameWords(shown);
    const name = taken.has(friendly) ? uniqueName(shown, taken) : friendly;
    taken.add(name);
    return { wireName: shown, name, ...valueWords(t, raw[wireName]) };
  });
  return { fields, left: names.length - fields.length };
}

/** `server_hostname` and `addr.local` as words. */
function nameWords(name: string): string {
  const words = name.replaceAll(/[_.]+/g, ' ').trim();
  return words === '' ? name : words.charAt(0).toUpperCase() + words.slice(1);
}

function uniqueName(name: string, taken: ReadonlySet<string>): string {
  let number = 1;
  while (taken.has(`${name} ${number}`)) number += 1;
  return taken.has(name) ? `${name} ${number}` : name;
}

function valueWords(t: Translate, value: unknown): { value: string; hint: string | undefined } {
  if (typeof value === 'boolean') return { value: t(value ? 'audit-event.yes' : 'audit-event.no'), hint: undefined };
  if (typeof value === 'string' && TIME.test(value) && !Number.isNaN(Date.parse(value))) {
    return { value: localOf(value), hint: utcOf(value) };
  }
  return { value: textOf(value), hint: undefined };
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return visibleText(value, VALUE_LENGTH);
  if (Array.isArray(value) && value.every(isPlain)) return visibleText(value.slice(0, 200).join(', '), VALUE_LENGTH);
  if (isFlat(value)) {
    const pairs = Object.entries(value)
      .slice(0, 200)
      .map(([name, each]) => `${name}: ${String(each)}`);
    return visibleText(pairs.join(', '), VALUE_LENGTH);
  }
  return visibleText(rawJson(value, { indent: 0, maxLength: VALUE_LENGTH }).text, VALUE_LENGTH);
}

function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

/** Labels and the like. */
function isFlat(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isPlain);
}

function isEmpty(value: unknown): boolean {
  if (value === '' || value === null || value === undefined) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
