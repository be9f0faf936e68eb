/** The fields of a connector that the form shows, section by section. Everything else stands only in the text. */
import { CONNECTOR_ICONS, type ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import { MAPPINGS } from '../mapping.ts';

/** Each has words of its own: `field-NAME`, and `hint-NAME` unless it is one of `UNHINTED`. */
export type FieldName =
  | 'display'
  | 'icon'
  | 'domains'
  | 'enabled'
  | 'client_id'
  | 'client_secret'
  | 'issuer_url'
  | 'scope'
  | 'username_claim'
  | 'prompt'
  | 'acr_values'
  | 'max_age'
  | 'allow_unverified_email'
  | 'sign_out_return'
  | 'endpoint_url'
  | 'api_endpoint_url'
  | 'entity_descriptor_url'
  | 'entity_descriptor'
  | 'issuer'
  | 'sso'
  | 'cert'
  | 'audience'
  | 'service_provider_issuer'
  | 'subject_attribute'
  | 'username_attribute'
  | 'force_authn'
  | 'mfa'
  | 'recheck'
  | 'keep'
  | 'redirect_url';

/** Their labels say it all. */
export const UNHINTED = [
  'icon',
  'enabled',
  'client_id',
  'acr_values',
  'endpoint_url',
  'api_endpoint_url',
  'entity_descriptor',
  'username_attribute',
  'audience',
  'service_provider_issuer',
  'force_authn',
  'mfa',
] as const satisfies readonly FieldName[];

export type ConnectorField = { name: FieldName } & (
  | { type: 'text'; mono?: true }
  | { type: 'long' }
  | { type: 'secret' }
  | { type: 'names' }
  | { type: 'switch'; standard: boolean }
  | { type: 'choice'; options: readonly string[]; words?: 'mfa' }
  | { type: 'length'; standard: string; options: readonly string[] }
);

export interface FieldSection {
  id: 'provider' | 'look' | 'rules' | 'seldom';
  fields: readonly ConnectorField[];
}

const address = (name: FieldName): ConnectorField => ({ name, type: 'text', mono: true });
const word = (name: FieldName): ConnectorField => ({ name, type: 'text' });

const PROVIDER: Readonly<Record<ConnectorKind, readonly ConnectorField[]>> = {
  github: [address('client_id'), { name: 'client_secret', type: 'secret' }],
  oidc: [
    address('issuer_url'),
    address('client_id'),
    { name: 'client_secret', type: 'secret' },
    { name: 'scope', type: 'names' },
  ],
  saml: [address('entity_descriptor_url'), { name: 'entity_descriptor', type: 'long' }],
};

const SELDOM: Readonly<Record<ConnectorKind, readonly ConnectorField[]>> = {
  github: [address('endpoint_url'), address('api_endpoint_url'), address('redirect_url')],
  oidc: [
    word('username_claim'),
    word('prompt'),
    word('acr_values'),
    word('max_age'),
    address('redirect_url'),
    { name: 'allow_unverified_email', type: 'switch', standard: false },
    { name: 'sign_out_return', type: 'switch', standard: false },
  ],
  saml: [
    address('issuer'),
    address('sso'),
    { name: 'cert', type: 'long' },
    word('subject_attribute'),
    word('username_attribute'),
    address('audience'),
    address('service_provider_issuer'),
    { name: 'force_authn', type: 'switch', standard: false },
  ],
};

const LOOK: readonly ConnectorField[] = [
  word('display'),
  { name: 'icon', type: 'choice', options: CONNECTOR_ICONS },
  { name: 'domains', type: 'names' },
  { name: 'enabled', type: 'switch', standard: true },
];

const MFA: ConnectorField = { name: 'mfa', type: 'choice', options: ['provider', 'gateway'], words: 'mfa' };
const KEEP_FIELD: ConnectorField = {
  name: 'keep',
  type: 'length',
  standard: '7d',
  options: ['1h', '1d', '3d', '7d', '30d', '90d'],
};
const RECHECKED: readonly ConnectorField[] = [
  MFA,
  { name: 'recheck', type: 'length', standard: '15m', options: ['5m', '15m', '30m', '1h', '4h', '24h'] },
  KEEP_FIELD,
];

/** What SAML says counts until the next sign-in: nobody can be asked about again. */
const RULES: Readonly<Record<ConnectorKind, readonly ConnectorField[]>> = {
  github: RECHECKED,
  oidc: RECHECKED,
  saml: [MFA, KEEP_FIELD],
};

export function fieldSections(kind: ConnectorKind): FieldSection[] {
  return [
    { id: 'provider', fields: PROVIDER[kind] },
    { id: 'look', fields: LOOK },
    { id: 'rules', fields: RULES[kind] },
    { id: 'seldom', fields: SELDOM[kind] },
  ];
}

/** Tells of a field, as `changedFields` names it, whether only the text shows it. */
export function onlyInText(kind: ConnectorKind): (field: string) => boolean {
  const named = fieldSections(kind).flatMap(({ fields }) => fields.map(({ name }) => `spec.${name}`));
  const shown = new Set(['kind', 'version', 'metadata.name', `spec.${MAPPINGS[kind].list}`, 'spec.traits', ...named]);
  return (field) => !shown.has(field);
}
