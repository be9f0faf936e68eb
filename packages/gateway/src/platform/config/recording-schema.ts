/** The keys of recordings: whether sessions are recorded, where recordings are kept, and for how long. */
import { z } from 'zod';
import { isLoopback } from './address.ts';

export const RECORDING_MODES = ['off', 'gateway'] as const;

export interface BucketConfig {
  bucket: string;
  /** Empty, or ending in a slash. */
  prefix: string;
  region: string;
  endpoint: string | undefined;
}

export interface RecordingConfig {
  mode: (typeof RECORDING_MODES)[number];
  /** Undefined: the data folder. */
  store?: BucketConfig;
  retentionDays: number;
  maxMegabytes: number;
  maxSessionMegabytes?: number;
  keepFreeMegabytes?: number;
}

export const recordingKeys = {
  mode: z.enum(RECORDING_MODES).default('gateway').meta({
    description: 'Whether sessions are recorded: at the gateway, or off for the whole cluster.',
  }),
  store: z
    .string()
    .max(2048)
    .transform((text, context): BucketConfig => {
      const parsed = parseStore(text);
      if (typeof parsed !== 'string') return parsed;
      context.addIssue({ code: 'custom', message: parsed });
      return z.NEVER;
    })
    .optional()
    .meta({
      description:
        'Where recordings go when their session is over: s3://bucket/prefix?endpoint=https://host&region=name. Credentials come from the usual AWS environment. Default: the data folder.',
    }),
  retentionDays: z
    .number()
    .int()
    .min(0)
    .max(36_500)
    .default(0)
    .meta({ description: 'Days that recordings are kept. 0: for ever.' }),
  maxMegabytes: z
    .number()
    .int()
    .min(0)
    .max(1_000_000_000)
    .default(0)
    .meta({ description: 'The oldest recordings go when all of them are larger than this. 0: no limit.' }),
  maxSessionMegabytes: z.number().int().min(0).max(1_000_000_000).default(2_000).meta({
    description:
      'A session whose recording is larger than this is ended; so is one that takes a tenth of maxMegabytes. 0: no limit.',
  }),
  keepFreeMegabytes: z.number().int().min(0).max(1_000_000_000).default(200).meta({
    description: 'Recordings leave this much of the disk free: beyond it, sessions are not recorded. 0: all of it.',
  }),
} as const;

/** A sentence about what is wrong, where it is not one. */
export function parseStore(text: string): BucketConfig | string {
  const url = URL.parse(text);
  if (url?.protocol !== 's3:') return 'must be s3://bucket/prefix';
  if (url.username || url.password) return 'must hold no credentials: they come from the AWS environment';
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.hostname)) return 'must name a bucket: s3://bucket/prefix';
  const unknown = [...url.searchParams.keys()].find((key) => key !== 'endpoint' && key !== 'region');
  if (unknown !== undefined) return `has only endpoint and region after the question mark, not '${unknown}'`;
  const endpoint = url.searchParams.get('endpoint') ?? undefined;
  if (endpoint !== undefined && !isEndpoint(endpoint))
    return 'must have an https:// address as endpoint; http:// only on this machine';
  const prefix = decodeURIComponent(url.pathname).replace(/^\/+/, '').replace(/\/*$/, '/').replace(/^\/$/, '');
  return { bucket: url.hostname, prefix, region: url.searchParams.get('region') ?? 'us-east-1', endpoint };
}

function isEndpoint(text: string): boolean {
  const url = URL.parse(text);
  if (!url || url.username || url.password) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}
