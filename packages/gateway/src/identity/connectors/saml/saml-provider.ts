/** Signing in through a provider that speaks SAML 2.0: browsers carry signed requests there and signed assertions back. */

import { randomBytes } from 'node:crypto';
import { samlCertificateChanged } from '@gatehouse/contract/audit/connector-events';
import type { SamlDocument } from '@gatehouse/contract/identity/connectors/connector-document';
import type { AnswerRequest, Assertion, Begun, OpenConnector, ProviderDeps, ProviderRow } from '../provider.ts';
import { checkAssertion } from './answer/check-assertion.ts';
import { checkResponse, readAnswer } from './answer/check-response.ts';
import { readIdentity } from './answer/read-identity.ts';
import { refuse } from './answer/refuse.ts';
import { openLibrary, verifySignatures } from './answer/verify-signatures.ts';
import { checkDocument } from './check-document.ts';
import { certificateChange, certificateFacts } from './provider/certificates.ts';
import { readEntityDescriptor } from './provider/entity-descriptor.ts';
import { findProvider } from './provider/find-provider.ts';
import { privateKeyOf } from './provider/key-pairs.ts';
import { serviceOf } from './service.ts';

const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';

export const samlProvider: ProviderRow<'saml'> = {
  issuerOf,
  voiceOf(connector, origin) {
    const { spec } = connector.document;
    const { acs, entity, audience } = serviceOf(connector, origin);
    const { issuer, sso, cert, entity_descriptor, entity_descriptor_url, subject_attribute } = spec;
    const provider = [issuer, sso, cert, entity_descriptor, entity_descriptor_url].map((each) =>
      each?.replaceAll(/\s+/g, ' ').trim(),
    );
    return [...provider, subject_attribute, acs, entity, audience];
  },
  check: checkDocument,

  entries: ({ spec }) =>
    spec.attributes_to_roles.map(({ name, value, roles }, index) => ({
      path: `attributes_to_roles[${index}]`,
      claim: name,
      value,
      roles,
    })),

  enter(connector, origin) {
    const { acs, entity, metadata } = serviceOf(connector, origin);
    return [
      { what: 'callback', value: acs },
      { what: 'entity', value: entity },
      { what: 'metadata', value: metadata },
    ];
  },

  callbackField: 'acs',
  callbackOf: (connector, origin) => serviceOf(connector, origin).acs,
  begin,
  answer,
  async tellLearnt({ tx, audit, name }, before, after) {
    if (certificateChange(before, after) === undefined) return;
    const fingerprints = Array.isArray(after.certificates) ? after.certificates.map(String) : [];
    await audit.emit(tx, samlCertificateChanged, { name, fingerprints });
  },
};

/** Where it has to be fetched, the address it is fetched from: whoever may change what lies there is the provider. */
function issuerOf({ spec }: SamlDocument): string {
  const { issuer, entity_descriptor_url: url, entity_descriptor: descriptor } = spec;
  return issuer ?? url ?? (descriptor === undefined ? '' : readEntityDescriptor(descriptor, undefined).issuer);
}

async function begin(
  deps: ProviderDeps,
  connector: OpenConnector<'saml'>,
  { state, callback }: { state: string; callback: string },
): Promise<Begun> {
  const { spec } = connector.document;
  const provider = await findProvider(deps, connector);
  const requestId = `_${randomBytes(20).toString('hex')}`;
  const signingKey = privateKeyOf(connector, 'signing_key_pair');
  const library = await openLibrary(
    { provider, service: { ...serviceOf(connector, deps.publicOrigin()), acs: callback }, requestId, signingKey },
    {
      forceAuthn: spec.force_authn === true,
      // With an attribute for a subject, any NameID will do; some providers fail where they cannot give the one that is asked for.
      identifierFormat: spec.subject_attribute === undefined ? PERSISTENT : null,
    },
  );
  const unsigned = provider.wantsSignedRequests && signingKey === undefined;
  return {
    url: await library.getAuthorizeUrlAsync(state, undefined, {}),
    kept: { requestId, begun: String(deps.now()) },
    discovery: `the provider is '${provider.issuer}', with ${provider.certificates.length} valid certificate${provider.certificates.length === 1 ? '' : 's'}${unsigned ? '; it wants signed requests, and there is no signing_key_pair' : ''}`,
  };
}

async function answer(
  deps: ProviderDeps,
  connector: OpenConnector<'saml'>,
  { fields, callback, state, kept }: AnswerRequest,
): Promise<Assertion> {
  const { spec } = connector.document;
  const { requestId, begun } = kept;
  if (!requestId || fields.RelayState !== state)
    refuse('the answer belongs to no sign-in that was begun here (RelayState)');
  const provider = await findProvider(deps, connector);
  const service = { ...serviceOf(connector, deps.publicOrigin()), acs: callback };
  const decryptionKey = privateKeyOf(connector, 'assertion_key_pair');
  const { issuer } = provider;

  const checked = await checkResponse(fields.SAMLResponse, { acs: callback, requestId, issuer, decryptionKey });
  const expected = {
    acs: callback,
    requestId,
    issuer,
    audience: service.audience,
    now: deps.now(),
    signedInAfter: spec.force_authn === true ? Number(begun) : undefined,
  };
  // In our words and without any cryptography, where it would be refused later anyway.
  checkAssertion(checked.unverified, expected);
  const signed = await verifySignatures(checked, { provider, service, requestId, decryptionKey });
  // From here on nothing but the bytes the signature was made over.
  const assertion = readAnswer(signed, 'the signed assertion');
  const holding = checkAssertion(assertion, expected);
  const { notes, ...identity } = readIdentity(assertion, holding, {
    subjectAttribute: spec.subject_attribute,
    usernameAttribute: spec.username_attribute,
  });
  const facts = { ...connector.facts, entity: issuer, ...certificateFacts(provider.certificates) };
  const change = certificateChange(connector.facts, facts);
  return {
    ...identity,
    issuer: issuerOf(connector.document),
    providerSession: holding.sessionIndex,
    expires: holding.expires,
    notes: change === undefined ? notes : [...notes, `the certificates of the provider have changed (${change})`],
    facts,
  };
}
