/** The gateway's configuration as it is written in gatehouse.yaml. Every key, its meaning and its limits are declared here once. */
import { LOCAL_CONNECTORS, PRIVATE_KEY_POLICIES, SECOND_FACTORS } from '@gatehouse/contract/console/page-config';
import { z } from 'zod';
import { Secret } from '../std/secret.ts';
import { parseListen, parsePublicAddress, parseRange, parseSshAddress } from './address.ts';
import { auditKeys } from './audit-schema.ts';
import { awsKeys } from './aws-schema.ts';
import { recordingKeys } from './recording-schema.ts';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export const LOG_FORMATS = ['json', 'pretty'] as const;

const path = z.string().trim().min(1).max(4096);
const listen = read(z.string().max(300), parseListen);
const publicAddress = read(z.string().trim().max(300), parsePublicAddress);

export const gatewayConfig = z.strictObject({
  dataDir: path
    .optional()
    .meta({ description: 'Folder for the database, keys and recordings. Relative to this file. Default: ./data.' }),
  listen: listen.prefault('127.0.0.1:3080').meta({
    description: 'host:port that browsers and clients reach. Anything but loopback needs tls or proxy.behind.',
  }),
  diagListen: listen
    .optional()
    .meta({ description: 'host:port for /healthz, /readyz and /metrics, plain HTTP. Off unless set.' }),
  publicAddr: publicAddress.optional().meta({
    description:
      'The name people open: host, host:port or https:// address. Without a port, the usual one of its scheme.',
  }),
  clusterName: z
    .string()
    .regex(/^[A-Za-z0-9]([A-Za-z0-9.-]{0,61}[A-Za-z0-9])?$/, 'must be letters, digits, dots and dashes, at most 63')
    .default('localhost')
    .meta({ description: 'Name of this cluster, shown to people and used in addresses. Keep it once chosen.' }),
  storage: section({
    url: secret(z.string().max(2048))
      .refine(
        (url) => isPostgresUrl(url.reveal()),
        'must be a PostgreSQL address: postgres://user:password@host/database',
      )
      .optional()
      .meta({
        description: 'PostgreSQL address, for several gateways. Unset: SQLite in the data folder.',
        writeOnly: true,
      }),
  }),
  tls: section({
    cert: path.optional().meta({ description: 'PEM file with the certificate and its chain.' }),
    key: path.optional().meta({ description: 'PEM file with the private key of the certificate.' }),
    selfMade: z.boolean().default(false).meta({
      description: 'For trying: a certificate authority made in the data folder. Browsers must be told to trust it.',
    }),
  }),
  proxy: section({
    behind: z.boolean().default(false).meta({
      description: 'A proxy in front ends TLS. Forwarded headers are believed from the trusted addresses only.',
    }),
    trusted: z
      .array(z.string().max(64).check(rangeCheck))
      .max(64)
      .default([])
      .meta({ description: 'Addresses or CIDR ranges of that proxy.' }),
  }),
  auth: section({
    secondFactor: z.enum(SECOND_FACTORS).optional().meta({
      description: 'Second factor at sign-in. Default: optional on loopback without a public address, otherwise on.',
    }),
    inactivityMinutes: z
      .number()
      .int()
      .min(0)
      .max(24 * 60)
      .default(0)
      .meta({ description: 'Browsers left alone for this long are signed out. 0: never for that reason.' }),
    connectorName: z.enum(LOCAL_CONNECTORS).default('local').meta({
      description: 'What the sign-in page leads with: local asks for name and password, passwordless for a passkey.',
    }),
    privateKeyPolicy: z.enum(PRIVATE_KEY_POLICIES).default('none').meta({
      description: 'Only none: hardware_key and hardware_key_touch are refused, because nothing here could check them.',
    }),
  }),
  ui: section({
    scrollbackLines: z
      .number()
      .int()
      .min(1)
      .max(100_000)
      .default(1000)
      .meta({ description: 'Lines a terminal keeps to scroll back to, for people who did not choose themselves.' }),
    isDashboard: z.boolean().default(false).meta({
      description: 'Shows what belongs to a licence, such as downloads, to whom roles allow it.',
    }),
  }),
  canJoinSessions: z.boolean().default(true).meta({
    description: "False: nobody watches or joins another person's session, whatever roles say.",
  }),
  nodes: section({
    backgroundChecks: z.boolean().default(true).meta({
      description:
        'The gateway looks from time to time whether servers with plain OpenSSH answer, at most 40 a minute. False: only sessions and tests tell.',
    }),
  }),
  ssh: section({
    listen: listen.optional().meta({
      description: 'host:port for ssh, scp, sftp and what else speaks SSH. Off unless set.',
    }),
    publicAddr: read(z.string().trim().max(300), parseSshAddress).optional().meta({
      description:
        'host or host:port that programs dial for it. Default: the host of publicAddr and the port of ssh.listen.',
    }),
  }),
  databases: section({
    mysqlListen: listen.optional().meta({
      description:
        'host:port for programs of MySQL and MariaDB that come straight to the gateway, with TLS. Off unless set.',
    }),
  }),
  secrets: section({
    keyFile: path
      .optional()
      .meta({ description: 'File with the key that encrypts stored secrets. Default: one in the data folder.' }),
    key: secret(z.string().min(16).max(4096))
      .optional()
      .meta({ description: 'The key itself, instead of a file. Better given by environment.', writeOnly: true }),
  }),
  audit: section(auditKeys),
  recordings: section(recordingKeys),
  aws: section(awsKeys),
  log: section({
    level: z.enum(LOG_LEVELS).default('info').meta({ description: 'The least severe message that is written.' }),
    format: z
      .enum(LOG_FORMATS)
      .optional()
      .meta({ description: 'json for machines, pretty for people. Default: pretty on a terminal, otherwise json.' }),
  }),
  drainSeconds: z
    .number()
    .int()
    .min(0)
    .max(3600)
    .default(30)
    .meta({ description: 'How long open calls and sessions may finish after SIGTERM.' }),
});

/** What the file may hold, once parsed key by key and before the rules between keys are applied. */
export type WrittenConfig = z.output<typeof gatewayConfig>;

function section<S extends z.ZodRawShape>(shape: S) {
  return z.strictObject(shape).prefault({} as never);
}

function secret(text: z.ZodString) {
  return text.transform((value) => new Secret(value));
}

/** A parser that gives a value or a sentence about what is wrong, as a schema. */
function read<T extends object>(text: z.ZodString, parse: (text: string) => T | string) {
  return text.transform((value, context): T => {
    const parsed = parse(value);
    if (typeof parsed !== 'string') return parsed;
    context.addIssue({ code: 'custom', message: parsed });
    return z.NEVER;
  });
}

function rangeCheck(context: z.core.ParsePayload<string>): void {
  const wrong = parseRange(context.value);
  if (wrong) context.issues.push({ code: 'custom', message: wrong, input: context.value });
}

function isPostgresUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^postgres(ql)?:$/.test(url.protocol);
}
