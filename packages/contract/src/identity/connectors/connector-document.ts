/** A connector as people write it. Secrets stand in what is sent and never in what is given back. */
import { z } from 'zod';
import { CONNECTOR_ICONS, type ConnectorKind } from './connector-kinds.ts';

export const MAX_CONNECTOR_CHARACTERS = 256 * 1024;
export const MAX_MAPPING_ENTRIES = 1_000;

export const RECHECK = { minMs: 5 * 60_000, maxMs: 24 * 3_600_000, standardMs: 15 * 60_000 } as const;
export const KEEP = { minMs: 3_600_000, maxMs: 90 * 24 * 3_600_000, standardMs: 7 * 24 * 3_600_000 } as const;

const text = z.string().min(1).max(1024);
const label = z.preprocess((value) => (typeof value === 'number' ? String(value) : value), text);
const list = <T extends z.ZodType>(item: T, max = 256) =>
  z.preprocess((value) => (typeof value === 'string' ? [value] : value), z.array(item).max(max));

/** HTTPS; plain HTTP on this machine alone, for trying. */
export const providerAddress = z
  .string()
  .max(2048)
  .refine(isProviderAddress, 'must be an https:// address (http:// only for localhost, to try things)');

const ADDRESS = /^(https?):\/\/(\[[0-9a-f:.]+\]|[^\s/?#@:[\]\\]+)(?::\d{1,5})?(?:\/[^\s#\\]*)?$/i;

function isProviderAddress(given: string): boolean {
  const [, scheme = '', host = ''] = ADDRESS.exec(given) ?? [];
  return scheme.toLowerCase() === 'https' || (scheme !== '' && isLoopbackName(host.toLowerCase()));
}

/** By its name alone: where it leads is asked when it is dialled. */
export function isLoopbackName(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 24 * 3_600_000 };

/** `15m`, `1h30m`, `7d`; in milliseconds once it is read. */
function duration({ minMs, maxMs }: { minMs: number; maxMs: number }, words: string) {
  return z
    .string()
    .max(32)
    .refine((given) => /^(?:\d{1,6}[smhd])+$/.test(given), 'must be a duration such as 15m, 12h or 7d')
    .transform((given) =>
      [...given.matchAll(/(\d+)([smhd])/g)].reduce((sum, [, count, unit]) => sum + Number(count) * UNITS[unit!]!, 0),
    )
    .refine((ms) => ms >= minMs && ms <= maxMs, `must be ${words}`);
}

const roles = list(text.max(256), 64).refine((given) => given.length > 0, 'must name a role');

/** `from` a claim (only values that `value` matches), `to` a trait, written `as`. */
export const traitMapping = z.strictObject({
  from: text.max(256),
  value: label.optional(),
  to: text.max(256).refine((name) => name !== '__proto__', 'is not a trait'),
  as: label.optional(),
});
export type TraitMapping = z.output<typeof traitMapping>;

const common = {
  display: text.max(128).optional(),
  icon: z.enum(CONNECTOR_ICONS).optional(),
  /** Of e-mail addresses: the login page asks for the address first where any connector has one. */
  domains: list(
    z
      .string()
      .max(253)
      .regex(/^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/i, 'must be a domain such as acme.example'),
    64,
  ).optional(),
  traits: z.array(traitMapping).max(128).optional(),
  recheck: duration(RECHECK, 'from 5m to 24h').optional(),
  keep: duration(KEEP, 'from 1h to 90d').optional(),
  mfa: z.enum(['provider', 'gateway']).optional(),
  enabled: z.boolean().optional(),
};

/** What is shown in a secret's place. Sent as one, it would be kept, and nobody could tell why signing in fails. */
export const HIDDEN_SECRET = '••••••••';

const secret = z
  .string()
  .min(1)
  .max(16_384)
  .refine((given) => !given.includes(HIDDEN_SECRET), 'is hidden here and not known: write the whole secret')
  .optional();
const keyPair = z.strictObject({ cert: z.string().max(65_536), private_key: secret });
const redirect = { redirect_url: providerAddress.optional() };
const client = { client_id: text, client_secret: secret, ...redirect };

export const githubSpec = z.strictObject({
  ...common,
  ...client,
  endpoint_url: providerAddress.optional(),
  api_endpoint_url: providerAddress.optional(),
  teams_to_roles: z
    .array(z.strictObject({ organization: text, team: text, roles }))
    .min(1)
    .max(MAX_MAPPING_ENTRIES),
  /** Filled in by the first good test: a renamed organisation's name is free for others. */
  organization_id: z.record(text, z.number().int()).optional(),
  /** Of older documents: read, and refused where it says something, because roles give logins here. */
  teams_to_logins: z.array(z.unknown()).max(0, 'gives nothing: give logins by a role, or by traits').optional(),
});

export const oidcSpec = z.strictObject({
  ...common,
  ...client,
  issuer_url: providerAddress,
  scope: list(text.max(128), 32).optional(),
  username_claim: text.max(256).optional(),
  acr_values: text.optional(),
  max_age: duration({ minMs: 0, maxMs: 30 * 24 * 3_600_000 }, 'at most 30d').optional(),
  prompt: text.max(64).optional(),
  allow_unverified_email: z.boolean().optional(),
  /** The provider was told of our login page, and sends browsers back there that signed out over there; others refuse to sign out then. */
  sign_out_return: z.boolean().optional(),
  claims_to_roles: z
    .array(z.strictObject({ claim: text.max(256), value: label, roles }))
    .min(1)
    .max(MAX_MAPPING_ENTRIES),
});

export const samlSpec = z.strictObject({
  ...common,
  issuer: text.max(2048).optional(),
  sso: providerAddress.optional(),
  cert: z.string().max(65_536).optional(),
  entity_descriptor: z.string().max(MAX_CONNECTOR_CHARACTERS).optional(),
  entity_descriptor_url: providerAddress.optional(),
  acs: providerAddress.optional(),
  audience: text.max(2048).optional(),
  service_provider_issuer: text.max(2048).optional(),
  subject_attribute: text.max(512).optional(),
  username_attribute: text.max(512).optional(),
  force_authn: z.boolean().optional(),
  signing_key_pair: keyPair.optional(),
  assertion_key_pair: keyPair.optional(),
  attributes_to_roles: z
    .array(z.strictObject({ name: text.max(512), value: label, roles }))
    .min(1)
    .max(MAX_MAPPING_ENTRIES),
});

const metadata = z.strictObject({
  name: z.string(),
  description: z.string().max(4096).optional(),
  labels: z.record(text.max(256), z.string().max(1024)).optional(),
});

export const githubDocument = z.strictObject({
  kind: z.literal('github'),
  version: z.literal('v3'),
  metadata,
  spec: githubSpec,
});
export const oidcDocument = z.strictObject({
  kind: z.literal('oidc'),
  version: z.enum(['v2', 'v3']),
  metadata,
  spec: oidcSpec,
});
export const samlDocument = z.strictObject({
  kind: z.literal('saml'),
  version: z.literal('v2'),
  metadata,
  spec: samlSpec,
});

export type GithubDocument = z.output<typeof githubDocument>;
export type OidcDocument = z.output<typeof oidcDocument>;
export type SamlDocument = z.output<typeof samlDocument>;

export interface ConnectorDocuments {
  github: GithubDocument;
  oidc: OidcDocument;
  saml: SamlDocument;
}
export type ConnectorDocument = ConnectorDocuments[ConnectorKind];

export const CONNECTOR_DOCUMENTS = { github: githubDocument, oidc: oidcDocument, saml: samlDocument } as const;

/** Where secrets stand in each kind, as paths: taken out of the text before it is kept, and sealed. */
export const CONNECTOR_SECRETS = {
  github: [['spec', 'client_secret']],
  oidc: [['spec', 'client_secret']],
  saml: [
    ['spec', 'signing_key_pair', 'private_key'],
    ['spec', 'assertion_key_pair', 'private_key'],
  ],
} as const satisfies Record<ConnectorKind, readonly (readonly string[])[]>;

/** Whether providers of a kind know clients without a secret, which hold their name alone. */
export const KNOWS_PUBLIC_CLIENTS = { github: false, oidc: true, saml: true } as const satisfies Record<
  ConnectorKind,
  boolean
>;

/** What a secret was entered for: where one of them changes, it is asked for again, so that it is never sent to somebody else. */
export const SECRET_BOUND_TO = {
  github: ['client_id', 'endpoint_url', 'api_endpoint_url'],
  oidc: ['client_id', 'issuer_url'],
  saml: [],
} as const satisfies Record<ConnectorKind, readonly string[]>;
