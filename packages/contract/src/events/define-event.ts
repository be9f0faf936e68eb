/** What an audit event is: its code, its name on the wire, the fields it carries and the line a reviewer reads. */
import { z } from 'zod';
import type { Line } from './line.ts';

export type Severity = 'info' | 'warning' | 'error';

/** A resource kind or another thing of ours, and the field that names which. */
export interface About<Name extends string = string> {
  kind: string;
  name: Name;
  /** The field that names the kind, for events about things of any kind. */
  kindIn?: Name;
}

export interface Subject {
  kind: string;
  name: string;
}

/** Fields as they can be read back: any of them may be missing or wrong, whatever the schema asked when it was written. */
export type ReadFields<Fields extends z.ZodRawShape> = Partial<z.output<z.ZodObject<Fields>>>;

export interface EventType<Fields extends z.ZodRawShape = z.ZodRawShape> {
  /** `T…` codes are those of the wire reference; ours begin with `GH`. The last letter is the severity. */
  code: string;
  /** The name on the wire; several codes may share one. */
  event: string;
  /** Short title of the kind of event. */
  label: string;
  severity: Severity;
  /** What the event is about, for searching by resource: the first whose field is filled. */
  about: readonly About<keyof Fields & string>[];
  /** Everything beside the common fields. What is not declared here is not written: a secret cannot slip in. */
  fields: z.ZodObject<Fields>;
  tell(fields: ReadFields<Fields>): Line;
}

type EventDefinition<Fields extends z.ZodRawShape> = Omit<EventType<Fields>, 'severity' | 'fields' | 'about'> & {
  about?: About<keyof Fields & string> | readonly About<keyof Fields & string>[];
  fields: Fields;
};

const SEVERITIES: Record<string, Severity> = { I: 'info', W: 'warning', E: 'error' };

export function severityOf(code: string): Severity | undefined {
  return SEVERITIES[code.at(-1) ?? ''];
}

export function defineEvent<Fields extends z.ZodRawShape>(type: EventDefinition<Fields>): EventType<Fields> {
  const severity = severityOf(type.code);
  if (!severity) throw new Error(`the code ${type.code} does not end in a severity`);
  return { ...type, severity, about: [type.about ?? []].flat(), fields: z.object(type.fields) };
}

/** What an event is about, as its columns and links need it. */
export function subjectOf(type: Pick<EventType, 'about'>, fields: Record<string, unknown>): Subject {
  const filled = type.about.find(({ name }) => textOf(fields[name]) !== '') ?? type.about.at(-1);
  if (!filled) return { kind: '', name: '' };
  const kind = filled.kindIn ? textOf(fields[filled.kindIn]) : filled.kind;
  return { kind, name: textOf(fields[filled.name]) };
}

/** Who did it. Events of trusted devices carry the user as an object. */
export function userOf({ user }: Record<string, unknown>): string {
  if (typeof user !== 'object' || user === null) return textOf(user);
  return 'user' in user ? textOf(user.user) : '';
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
