/** The text a new connector begins as: complete but for what only the provider can tell, and who gets roles. */
import type { ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import { inlineYaml } from '../../shared/document-editor/write-yaml.ts';
import { MAPPINGS } from './mapping.ts';
import { PRESET, type Preset, type PresetName } from './presets.ts';

const VERSIONS: Readonly<Record<ConnectorKind, string>> = { github: 'v3', oidc: 'v3', saml: 'v2' };

export function startText(preset: PresetName, comment: string): string {
  const start = PRESET[preset];
  const { list, from, value } = MAPPINGS[start.kind];
  return [
    `kind: ${start.kind}`,
    `version: ${VERSIONS[start.kind]}`,
    'metadata:',
    `  name: ${start.name}`,
    'spec:',
    ...(start.display ? [`  display: ${start.display}`] : []),
    `  icon: ${start.icon}`,
    ...settings(start),
    `  # ${comment}`,
    `  ${list}:`,
    `    - ${from}: ${inlineYaml(start.entry.from ?? '')}`,
    // A name nobody typed may be anybody's over there: left alone, it would let strangers in.
    `      ${value}: ''`,
    '      roles: [access]',
    '',
  ].join('\n');
}

function settings({ kind, issuer = '', scope = [], usernameClaim }: Preset): string[] {
  // Its metadata is an address, a text, or written in parts: no place is better than an empty one.
  if (kind === 'saml') return [];
  // No place for the secret: an empty one would be a fault, and clients without one are possible.
  const client = "  client_id: ''";
  if (kind === 'github') return [client];
  return [
    `  issuer_url: ${inlineYaml(issuer)}`,
    client,
    `  scope: ${inlineYaml(scope)}`,
    ...(usernameClaim ? [`  username_claim: ${usernameClaim}`] : []),
  ];
}

/** The least a document must say for the gateway to tell what a provider has to be told about it: that depends on its name alone. Roles are those of the draft, which its author may give. */
export function namedText(kind: ConnectorKind, name: string, roles: readonly string[]): string {
  const address = 'https://provider.example';
  const known = {
    github: { client_id: 'x' },
    oidc: { client_id: 'x', issuer_url: address },
    saml: { entity_descriptor_url: address },
  }[kind];
  const { list, from, value } = MAPPINGS[kind];
  const spec = { ...known, [list]: [{ [from]: 'x', [value]: 'x', roles }] };
  return JSON.stringify({ kind, version: VERSIONS[kind], metadata: { name }, spec });
}
