/** What an audit event is: its code, its name on the wire, the fields it carries and the line a reviewer reads. */
import { z } from 'zod';

export type Severity = 'info' | 'warning' | 'error';

export interface EventType<Fields extends z.ZodRawShape = z.ZodRawShape> {
  /** `T…` codes are those of the wire reference; ours begin with `GH`. The last letter is the severity. */
  code: string;
  /** The name on the wire; several codes may share one. */
  event: string;
  /** Short title of the kind of event. */
  label: string;
  severity: Severity;
  /** What the event is about, for searching by resource. */
  about?: { kind: string; name: keyof Fields & string };
  /** Everything beside the common fields. What is not declared here is not written: a secret cannot slip in. */
  fields: z.ZodObject<Fields>;
  tell(fields: z.output<z.ZodObject<Fields>>): string;
}

const SEVERITIES: Record<string, Severity> = { I: 'info', W: 'warning', E: 'error' };

export function defineEvent<Fields extends z.ZodRawShape>(
  type: Omit<EventType<Fields>, 'severity' | 'fields'> & { fields: Fields },
): EventType<Fields> {
  const severity = SEVERITIES[type.code.at(-1) ?? ''];
  if (!severity) throw new Error(`the code ${type.code} does not end in a severity`);
  return { ...type, severity, fields: z.object(type.fields) };
}

/** Fields nearly every event has. */
export const byUser = {
  user: z.string().optional(),
  login: z.string().optional(),
  impersonator: z.string().optional(),
  access_requests: z.array(z.string()).optional(),
} as const;

export const connection = {
  'addr.local': z.string().optional(),
  'addr.remote': z.string().optional(),
  proto: z.string().optional(),
} as const;

export const status = {
  success: z.boolean(),
  error: z.string().optional(),
  message: z.string().optional(),
} as const;

export const resource = {
  name: z.string().optional(),
  expires: z.string().optional(),
  updated_by: z.string().optional(),
  ttl: z.string().optional(),
} as const;
