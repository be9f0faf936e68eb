/** What the inventory keeps about a Kubernetes cluster, beside its name and labels, and which of it may be written how. */
import { z } from 'zod';
import { pemCertificates } from '../../std/resource-fields.ts';

/** A segment of the address that programs are given. */
export const kubeName = z
  .string()
  .max(63, 'must have at most 63 characters')
  .regex(
    /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/,
    'must be lower-case letters, digits, dashes and dots, beginning and ending with a letter or digit: it becomes part of an address',
  );

/** As the cluster calls it. */
export const kubeNamespace = z
  .string()
  .max(63)
  .regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/, 'is no name of a namespace');

const USUAL_PORT = 443;

export interface KubeAddress {
  /** Lower case; IPv6 without brackets. */
  host: string;
  port: number;
  /** What stands before every path there, as some that serve several clusters have it; mostly empty, never with a slash at its end. */
  path: string;
}

const SERVER =
  /^https:\/\/(\[[0-9a-f:.]{2,45}\]|[a-z0-9](?:[a-z0-9._-]{0,251}[a-z0-9])?)(?::([1-9]\d{0,4}))?((?:\/[A-Za-z0-9._~-]+)*)\/?$/i;

/** Undefined where it is no address of a cluster. */
export function parseKubeServer(server: string): KubeAddress | undefined {
  const [, host, port, path = ''] = SERVER.exec(server) ?? [];
  if (host === undefined) return undefined;
  const number = port === undefined ? USUAL_PORT : Number(port);
  if (number > 65_535 || path.split('/').some((segment) => segment === '.' || segment === '..')) return undefined;
  return { host: host.toLowerCase().replace(/^\[|\]$/g, ''), port: number, path };
}

/** HOST:PORT. */
export function kubeDialAddress({ host, port }: Pick<KubeAddress, 'host' | 'port'>): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Never `http:`: what a cluster is asked with would be read by whoever is in between. */
export const kubeServer = z
  .string()
  .max(2_048)
  .refine(
    (text) => parseKubeServer(text) !== undefined,
    'must look like https://HOST:PORT, without a name, a password or a query',
  );

/** Also a single word: certificates of API servers are good for `kubernetes`. */
const tlsName = z
  .string()
  .max(253)
  .regex(
    /^(?=.*[a-z])[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/,
    'must be a host name in lower case, without scheme and port',
  );

/** Beside name and labels, everything that is written about one: by an administrator, or by an agent. */
export const kubeFields = {
  /** Of its API server. */
  server: kubeServer,
  /** Authorities its certificate is checked by; empty: those everybody knows. */
  ca: z.union([z.literal(''), pemCertificates]).default(''),
  /** What its certificate must be good for, where that is not the host in the address. */
  serverName: z.union([z.literal(''), tlsName]).default(''),
  /** Its certificate is not checked; marked wherever it is listed. */
  insecureSkipVerify: z.boolean().default(false),
  /** For screens of those who may not list namespaces. */
  namespaces: z.array(kubeNamespace).max(100).default([]),
} as const;

/** What an agent announces. */
export const offeredKubeSpec = z.object(kubeFields);
export type OfferedKubeSpec = z.output<typeof offeredKubeSpec>;

/** What is stored; only what was entered by hand names agents that dial it. */
export const kubeSpec = z.object({
  ...kubeFields,
  /** Ids of agents that reach it, each of which will do; none: the gateway dials. */
  through: z.array(z.string().max(64)).max(16).default([]),
  /** Changes with its credential, which is stored beside it and sealed; empty: none is stored. */
  mark: z.string().max(64).default(''),
  /** When that one ends, as it says itself; empty: it does not say. */
  credentialEnds: z.string().max(32).default(''),
});
export type KubeSpec = z.output<typeof kubeSpec>;

const MAX_TOKEN = 16 * 1_024;

/** What the gateway shows a cluster: a bearer, or a certificate with its key. */
export const kubeCredential = z.union([
  z.strictObject({
    token: z
      .string()
      .min(1)
      .max(MAX_TOKEN)
      .regex(/^[A-Za-z0-9._~+/=-]+$/, 'holds characters that no bearer token has'),
  }),
  z.strictObject({
    cert: pemCertificates,
    key: z
      .string()
      .max(MAX_TOKEN)
      .regex(/-----BEGIN [A-Z ]*PRIVATE KEY-----/, 'holds no PEM key'),
  }),
]);
export type KubeCredential = z.output<typeof kubeCredential>;

export interface StoredKube {
  spec: KubeSpec;
  /** Why nobody is let in by it until somebody changes it; empty where nothing is wrong. */
  wrong: string;
}

/** What was stored may be older than a rule that it breaks: it is read as far as it can be, so that it is seen and changed. */
export function readStoredKube(stored: unknown): StoredKube {
  const read = kubeSpec.safeParse(stored);
  if (read.success) return { spec: read.data, wrong: '' };
  const [issue] = read.error.issues;
  const given = typeof stored === 'object' && stored !== null ? Object.entries(stored) : [];
  const shape: Readonly<Record<string, z.ZodType>> = kubeSpec.shape;
  const readable = given.filter(([name, value]) => shape[name]?.safeParse(value).success);
  const { server: _, ...rest } = kubeSpec.parse({ server: 'https://unknown', ...Object.fromEntries(readable) });
  const server = Object.fromEntries(readable).server;
  return {
    spec: { ...rest, server: typeof server === 'string' ? server : '' },
    wrong: `${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim(),
  };
}
