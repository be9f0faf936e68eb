/** Reads an event back field by field, so that one wrong field costs itself alone and not the line, let alone the page. */
import type { z } from 'zod';
import type { EventType, ReadFields } from '../events/define-event.ts';

/** `raw` has no prototype, or what it inherits would be read too. A field is parsed when it is asked for: a line reads three of thirty, and a page has five thousand lines. */
export function readFields<Fields extends z.ZodRawShape>(
  type: EventType<Fields>,
  raw: Record<string, unknown>,
): ReadFields<Fields> {
  return new Proxy<ReadFields<Fields>>({}, { get: (_, name) => readField(type, raw, name) });
}

/** Fields that are missing though the event must have them, or hold something else than they should. */
export function unreadableFields(type: EventType, raw: Record<string, unknown>): string[] {
  return Object.entries(type.fields.shape)
    .filter(([name, schema]) => !schemaOf(schema).safeParse(raw[name]).success)
    .map(([name]) => name);
}

function readField<Fields extends z.ZodRawShape>(
  type: EventType<Fields>,
  raw: Record<string, unknown>,
  name: PropertyKey,
) {
  if (typeof name !== 'string' || !Object.hasOwn(type.fields.shape, name)) return undefined;
  const read = schemaOf(type.fields.shape[name]).safeParse(raw[name]);
  return read.success ? read.data : undefined;
}

function schemaOf(schema: unknown): z.ZodType {
  return schema as z.ZodType;
}
