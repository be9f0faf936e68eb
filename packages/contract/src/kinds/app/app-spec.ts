/** What the inventory keeps about an application, beside its name and labels, and which of it may be written how. */
import { z } from 'zod';
import { hostLabel, hostName, pemCertificates } from '../../std/resource-fields.ts';

/** The first part of its host name. */
export const appName = hostLabel;

/** Never an address: browsers keep cookies of addresses apart by nothing but the port. */
export const publicHost = hostName;

export const APP_SCHEMES = ['http', 'https', 'tcp', 'cloud', 'kube'] as const;
export type AppScheme = (typeof APP_SCHEMES)[number];

/**
 * `http`, `https` and `tcp` are dialled; `kube` is a port in a Kubernetes cluster, forwarded as whoever opens it; `cloud` only names a
 * provider, whose console people are signed in to.
 */
export const appUri = z
  .string()
  .max(2048)
  .superRefine((text, context) => {
    const wrong = wrongWithUri(text);
    if (wrong) context.addIssue({ code: 'custom', message: wrong });
  });

function wrongWithUri(text: string): string | undefined {
  if ([...text].some((character) => character <= ' ' || character === '\u007f' || character === '\\'))
    return 'holds spaces, backslashes or control characters';
  const foreign = [...text].find((character) => character > '~');
  if (foreign !== undefined)
    return `holds '${foreign}', which no request can carry: write it as ${encodeURIComponent(foreign.toWellFormed())}`;
  const url = parseAppUri(text);
  if (!url)
    return 'must look like http://HOST:PORT, https://HOST, tcp://HOST:PORT, kube://CLUSTER/NAMESPACE/svc/NAME:PORT or cloud://PROVIDER';
  if (url.scheme === 'cloud') return CLOUDS.has(url.host) ? undefined : 'names no provider: aws';
  if (url.hasCredentials) return 'holds a name or password: those do not belong into an address';
  if (url.hasQuery) return 'holds a query or a fragment';
  if (url.port === 0) return 'needs a port';
  if (url.scheme === 'tcp' && url.path !== '/') return 'holds a path, which TCP does not have';
  return undefined;
}

/** Letters beyond ASCII as every program writes them in an address. */
function withoutForeign(uri: string): string {
  return uri.replaceAll(/[\u0080-\uffff]+/g, (letters) => encodeURIComponent(letters.toWellFormed()));
}

const CLOUDS: ReadonlySet<string> = new Set(['aws']);
const USUAL_PORTS: Readonly<Record<AppScheme, number>> = { http: 80, https: 443, tcp: 0, cloud: 0, kube: 0 };

export interface AppAddress {
  scheme: AppScheme;
  /** Lower case; IPv6 without brackets. */
  host: string;
  port: number;
  /** `/` where none is given: what a visit of the bare host name opens. */
  path: string;
  hasCredentials: boolean;
  hasQuery: boolean;
  /** Where it is in a Kubernetes cluster; there the host is what others in the cluster call it. */
  kube?: KubePort;
}

/** A port of a service or a pod. */
export interface KubePort {
  cluster: string;
  namespace: string;
  of: 'svc' | 'pod';
  name: string;
  port: number;
}

const URI =
  /^(http|https|tcp|cloud):\/\/(?:([^/?#@]*)@)?(\[[0-9a-f:.]{2,45}\]|[a-z0-9](?:[a-z0-9._-]{0,251}[a-z0-9])?)(?::(\d{1,5}))?(\/[^?#]*)?([?#].*)?$/i;

const KUBE_URI =
  /^kube:\/\/([a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?)\/([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)\/(svc|pod)\/([a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?):(\d{1,5})$/;

function parseKubePort(text: string): AppAddress | undefined {
  const [, cluster, namespace, of, name, port] = KUBE_URI.exec(text) ?? [];
  if (!cluster || !namespace || !of || !name || Number(port) > 65_535) return undefined;
  const kube = { cluster, namespace, of: of as KubePort['of'], name, port: Number(port) };
  const host = `${name}.${namespace}.${of}`;
  return { scheme: 'kube', host, port: kube.port, path: '/', hasCredentials: false, hasQuery: false, kube };
}

/** Parsed once, here: whatever checks, dials, rewrites or shows an address of an application asks this. */
export function parseAppUri(text: string): AppAddress | undefined {
  if (text.startsWith('kube:')) return parseKubePort(text);
  const [, scheme = '', credentials, host = '', given, path = '/', query] = URI.exec(text) ?? [];
  const known = APP_SCHEMES.find((name) => name === scheme.toLowerCase());
  const port = Number(given ?? (known ? USUAL_PORTS[known] : 0));
  if (known === undefined || port > 65_535) return undefined;
  return {
    scheme: known,
    host: host.replace(/^\[(.*)\]$/, '$1').toLowerCase(),
    port,
    path,
    hasCredentials: credentials !== undefined,
    hasQuery: query !== undefined,
  };
}

/** `HOST:PORT` as it is dialled; IPv6 in brackets. */
export function dialAddress({ host, port }: Pick<AppAddress, 'host' | 'port'>): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Where identity tokens for it are good, and nothing of another owner may be. Undefined: loopback is another machine for every agent, and a console of a cloud is everybody's. */
export function soleAddress(uri: string): string | undefined {
  const address = parseAppUri(uri);
  if (!address || address.scheme === 'cloud') return undefined;
  // Of two clusters each has its own, by whatever name.
  if (address.kube) return uri;
  const { host } = address;
  if (host === 'localhost' || host.endsWith('.localhost') || host.startsWith('127.') || host === '::1')
    return undefined;
  return `${address.scheme}://${dialAddress(address)}`;
}

/** Consoles of AWS by their parsed host: a prefix would also match names of somebody else. */
export const AWS_CONSOLE_HOSTS: ReadonlySet<string> = new Set([
  'console.aws.amazon.com',
  'console.amazonaws-us-gov.com',
  'console.amazonaws.cn',
]);

export const APP_TYPES = ['web', 'tcp', 'aws'] as const;
export type AppType = (typeof APP_TYPES)[number];

/** How it is used: opened in a browser, dialled by a program, or a console of AWS to be signed in to. */
export function appType(uri: string): AppType {
  const url = parseAppUri(uri);
  if (url?.scheme === 'tcp') return 'tcp';
  if (url?.scheme === 'cloud') return 'aws';
  return url?.scheme === 'https' && AWS_CONSOLE_HOSTS.has(url.host) ? 'aws' : 'web';
}

/** Set by the gateway, or read by both sides of a connection: an application is not told them by a rule. */
const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'cookie',
  'expect',
  'forwarded',
  'gatehouse-jwt-assertion',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const RESERVED_PREFIXES = ['x-forwarded-', 'proxy-', 'sec-websocket-', ':'];

export function isReservedHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return RESERVED_HEADERS.has(lower) || RESERVED_PREFIXES.some((prefix) => lower.startsWith(prefix));
}

export const headerRule = z.strictObject({
  name: z
    .string()
    .max(128)
    .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'is no name of a header')
    .refine((name) => !isReservedHeader(name), 'is set by the gateway itself'),
  /** A text with at most one `{{internal.TRAIT}}`, `{{external.TRAIT}}`, `{{internal.username}}` or `{{internal.jwt}}`. */
  value: z
    .string()
    .max(4096)
    .refine((text) => [...text].every(isPlainAscii), 'holds characters that no header carries'),
  /** Its value is secret, stored, and told to nobody; written with an empty value, it stays as it is. */
  kept: z.literal(true).optional(),
});
export type HeaderRule = z.output<typeof headerRule>;

/** A value that is only put together when somebody visits tells nothing by itself: `{{internal.username}}`, `Bearer {{internal.jwt}}`. */
const ONLY_TEMPLATE = /^(?:[A-Za-z][A-Za-z0-9-]* )?\{\{[^{}]*\}\}$/;

/** Values that are sealed in the store, and never shown. */
export function isSecretHeader({ name, value }: Pick<HeaderRule, 'name' | 'value'>): boolean {
  return value !== '' && name.toLowerCase() !== 'host' && !ONLY_TEMPLATE.test(value);
}

function isPlainAscii(character: string): boolean {
  return character === '\t' || (character >= ' ' && character <= '~');
}

/** Claims of the signed identity header. */
export const JWT_CLAIMS = ['roles-and-traits', 'roles', 'traits', 'none'] as const;

export const appRewrite = z.strictObject({
  /** Further hosts whose redirects are turned into the application's own host name. */
  redirect: z.array(z.string().max(253)).max(32).default([]),
  headers: z.array(headerRule).max(64).default([]),
  jwt: z.enum(JWT_CLAIMS).default('roles-and-traits'),
});

/** Beside name and labels, everything that is written about one: by an administrator, or by an agent's configuration. */
export const appFields = {
  description: z.string().max(500).default(''),
  uri: appUri,
  /** Its own host name; without it, NAME under the gateway's. */
  publicAddr: z.union([z.literal(''), publicHost]).default(''),
  /** A word that says which picture to show; guessed from the name where it is empty. */
  icon: z
    .string()
    .max(32)
    .regex(/^[a-z0-9-]*$/, 'must be lower-case letters, digits and dashes')
    .default(''),
  /** The certificate of the application is not checked; shown wherever it is listed. */
  insecureSkipVerify: z.boolean().default(false),
  /** Authorities its certificate is checked by instead of those everybody knows. */
  ca: z.union([z.literal(''), pemCertificates]).default(''),
  /** The name its certificate must have, where that is not the host in the address. */
  serverName: z.union([z.literal(''), publicHost]).default(''),
  rewrite: appRewrite.default({ redirect: [], headers: [], jwt: 'roles-and-traits' }),
  aws: z
    .strictObject({ externalId: z.string().max(1224).default(''), kept: z.literal(true).optional() })
    .default({ externalId: '' }),
} as const;

/** What an agent announces. */
export const offeredAppSpec = z.object(appFields);
export type OfferedAppSpec = z.output<typeof offeredAppSpec>;

/** What is stored; only what was entered by hand names agents that dial it. */
export const appSpec = z.object({
  ...appFields,
  /** One that was stored before letters beyond ASCII were refused is read as it should have been written. */
  uri: z.string().max(2048).transform(withoutForeign).pipe(appUri),
  /** Ids of agents that reach it, each of which will do; none: the gateway dials. */
  through: z.array(z.string().max(64)).max(16).default([]),
  /** Changes with its secrets, which are stored beside it and sealed. */
  mark: z.string().max(64).default(''),
});
export type AppSpec = z.output<typeof appSpec>;
