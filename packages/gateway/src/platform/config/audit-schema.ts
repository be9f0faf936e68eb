/** The keys of the audit log: how long it is kept, what happens when it cannot be written, and where else it goes. */
import { z } from 'zod';
import { Secret } from '../std/secret.ts';
import { isLoopback, parseListen } from './address.ts';

const name = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be small letters, digits and dashes')
  .meta({ description: 'Its place in the log is remembered under this name: another name begins anew.' });
const path = z.string().trim().min(1).max(4096);

const webhook = z.strictObject({
  type: z.literal('webhook'),
  name,
  url: z
    .string()
    .max(2048)
    .refine(isSafeUrl, 'must be an https:// address; http:// only on this machine')
    .meta({ description: 'Receives events as JSON lines by POST, in order; anything but 2xx is tried again.' }),
  token: z
    .string()
    .min(1)
    .max(4096)
    .transform((value) => new Secret(value))
    .optional()
    .meta({ description: 'Sent as a bearer token.', writeOnly: true }),
});

const syslog = z.strictObject({
  type: z.literal('syslog'),
  name,
  address: z
    .string()
    .max(300)
    .refine((text) => typeof parseListen(text) !== 'string', 'must be host:port')
    .meta({ description: 'host:port of a syslog server that takes RFC 5424 over TLS.' }),
  ca: path.optional().meta({ description: 'PEM file of the authority of its certificate; the system’s unless set.' }),
  structuredDataId: z
    .string()
    .regex(/^[!#-<>-\\^-~]{1,24}@[1-9][0-9]{0,9}$/, 'must be a name, @ and an enterprise number: gatehouse@32473')
    .default('gatehouse@32473')
    .meta({
      description:
        'Under which name (RFC 5424 §7) chain, place, event and user stand. 32473 is the number reserved for examples: put your own there.',
    }),
});

const file = z.strictObject({
  type: z.literal('file'),
  name,
  path: path.meta({ description: 'JSON lines are appended here. Relative to the data folder.' }),
});

export const auditSink = z.discriminatedUnion('type', [webhook, syslog, file]);
export type AuditSink = z.output<typeof auditSink>;

export const auditKeys = {
  retentionDays: z
    .number()
    .int()
    .min(0)
    .max(36_500)
    .default(0)
    .meta({ description: 'Days that events are kept. 0: for ever.' }),
  strict: z.boolean().default(false).meta({
    description: 'Refuse what cannot be recorded at once, instead of letting its events wait on disk.',
  }),
  sinks: z
    .array(auditSink)
    .max(16)
    .refine((sinks) => new Set(sinks.map((sink) => sink.name)).size === sinks.length, 'must have different names')
    .default([])
    .meta({ description: 'Where events and checkpoints are sent as well: webhook, syslog or file.' }),
} as const;

export interface AuditConfig {
  retentionDays: number;
  strict: boolean;
  sinks: AuditSink[];
}

function isSafeUrl(text: string): boolean {
  const url = URL.parse(text);
  if (!url || url.username || url.password) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}
