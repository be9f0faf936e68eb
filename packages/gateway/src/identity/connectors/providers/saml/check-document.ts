/** What the schema of a SAML connector cannot know: fields that only work together, and whether what is pasted in can be read. */
import type { SamlDocument } from '@gatehouse/contract/identity/connectors/connector-document';
import { CertificateRefused, readCertificates } from './provider/certificates.ts';
import { DescriptorRefused, readEntityDescriptor } from './provider/entity-descriptor.ts';

interface Problem {
  path: readonly PropertyKey[];
  message: string;
}

const ACS = '/v1/webapi/saml/acs';

export function checkDocument({ spec, metadata }: SamlDocument): readonly Problem[] {
  return [
    ...checkProvider(spec),
    ...checkAcs(spec, metadata.name),
    ...checkPair(spec, 'signing_key_pair'),
    ...checkPair(spec, 'assertion_key_pair'),
  ];
}

/** The provider would send people to a place where nothing of ours listens. */
function checkAcs({ acs }: SamlDocument['spec'], name: string): Problem[] {
  if (acs === undefined) return [];
  const own = `${ACS}/${encodeURIComponent(name)}`;
  const { pathname, search } = new URL(acs);
  return search === '' && [ACS, own].includes(pathname) ? [] : [problem('acs', `must end in ${own}, or be left out`)];
}

function checkProvider(spec: SamlDocument['spec']): Problem[] {
  const { entity_descriptor: descriptor, entity_descriptor_url: url } = spec;
  if (descriptor !== undefined && url !== undefined)
    return [problem('entity_descriptor_url', 'is given beside entity_descriptor: leave one of them out')];
  if (descriptor !== undefined) return checkDescriptor(spec, descriptor);
  if (url !== undefined)
    return (['sso', 'cert'] as const)
      .filter((field) => spec[field] !== undefined)
      .map((field) => problem(field, 'comes from the entity descriptor: leave it out'));
  const missing = (['issuer', 'sso', 'cert'] as const).filter((field) => spec[field] === undefined);
  return [
    ...missing.map((field) =>
      problem(field, 'is missing: give issuer, sso and cert, or an entity_descriptor, or an entity_descriptor_url'),
    ),
    ...(spec.cert === undefined ? [] : certificateProblems(['spec', 'cert'], spec.cert)),
  ];
}

function checkDescriptor(spec: SamlDocument['spec'], descriptor: string): Problem[] {
  try {
    const { sso, certificates } = readEntityDescriptor(descriptor, spec.issuer);
    const known = new Set(certificates.map(({ fingerprint256 }) => fingerprint256));
    const hasOther =
      spec.cert !== undefined && readCertificates(spec.cert).some(({ fingerprint256 }) => !known.has(fingerprint256));
    return [
      ...(spec.sso !== undefined && spec.sso !== sso
        ? [problem('sso', `is not what the entity descriptor says ('${sso}'): leave it out`)]
        : []),
      ...(hasOther ? [problem('cert', 'is not in the entity descriptor: leave it out')] : []),
    ];
  } catch (error) {
    if (error instanceof DescriptorRefused) return [problem('entity_descriptor', error.message)];
    if (error instanceof CertificateRefused) return [problem('cert', error.message)];
    throw error;
  }
}

function checkPair(spec: SamlDocument['spec'], field: 'signing_key_pair' | 'assertion_key_pair'): Problem[] {
  const pair = spec[field];
  return pair ? certificateProblems(['spec', field, 'cert'], pair.cert) : [];
}

function certificateProblems(path: readonly PropertyKey[], text: string): Problem[] {
  try {
    readCertificates(text);
    return [];
  } catch (error) {
    if (error instanceof CertificateRefused) return [{ path, message: error.message }];
    throw error;
  }
}

function problem(field: string, message: string): Problem {
  return { path: ['spec', field], message };
}
