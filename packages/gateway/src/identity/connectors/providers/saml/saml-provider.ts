/** Signing in through a provider that speaks SAML 2.0: browsers carry signed requests there and signed assertions back. */

import { randomBytes } from 'node:crypto';
import { samlCertificateChanged } from '@gatehouse/contract/audit/connector-events';
import type { SamlDocument } from '@gatehouse/contract/identity/connectors/connector-document';
import { checkedProof, keptWish } from '../proof-of-now.ts';
import type {
  AnswerRequest,
  Assertion,
  BeginRequest,
  Begun,
  OpenConnector,
  ProviderDeps,
  ProviderRow,
} from '../provider.ts';
import { SENDING_MS } from '../provider-memory.ts';
import type { KnownProvider } from '../saml-answers.ts';
import { givenText } from './answer/check-response.ts';
import { refuse } from './answer/refuse.ts';
import { openLibrary } from './answer/verify-signatures.ts';
import { checkDocument } from './check-document.ts';
import { certificateChange, certificateFacts } from './provider/certificates.ts';
import { type IdentityProvider, readEntityDescriptor } from './provider/entity-descriptor.ts';
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

  addressFields: ['sso', 'entity_descriptor_url'],
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
  { state, callback, asksWho, isFresh, isSparing }: BeginRequest,
): Promise<Begun> {
  const { spec } = connector.document;
  // By the time the browser comes back, it is there.
  deps.samlAnswers.warm();
  const provider = await findProvider(deps, connector, { maxAgeMs: SENDING_MS, isSparing });
  const requestId = `_${randomBytes(20).toString('hex')}`;
  const signingKey = privateKeyOf(connector, 'signing_key_pair');
  const library = await openLibrary(
    {
      provider: plain(provider),
      service: { ...serviceOf(connector, deps.publicOrigin()), acs: callback },
      requestId,
      signingKey,
    },
    {
      forceAuthn: spec.force_authn === true || asksWho === true || isFresh === true,
      // With an attribute for a subject, any NameID will do; some providers fail where they cannot give the one that is asked for.
      identifierFormat: spec.subject_attribute === undefined ? PERSISTENT : null,
    },
  );
  const unsigned = provider.wantsSignedRequests && signingKey === undefined;
  const notes = [
    `the provider is '${provider.issuer}', with ${provider.certificates.length} valid certificate${provider.certificates.length === 1 ? '' : 's'}`,
    ...(unsigned ? ['it wants signed requests, and there is no signing_key_pair'] : []),
    // Only browsers need to reach it: to ask it from here would call one gone that is merely closed to the gateway.
    ...(spec.entity_descriptor_url === undefined
      ? ['the gateway never asks it anything, and cannot tell when it is gone']
      : []),
  ];
  return {
    url: await library.getAuthorizeUrlAsync(state, undefined, {}),
    kept: { requestId, begun: String(deps.now()), ...keptWish(isFresh, deps.now()) },
    discovery: notes.join('; '),
  };
}

async function answer(
  deps: ProviderDeps,
  connector: OpenConnector<'saml'>,
  { fields, callback, state, kept, client }: AnswerRequest,
): Promise<Assertion> {
  const { spec } = connector.document;
  const { requestId, begun } = kept;
  // What belongs to no sign-in, or is no answer at all, is not worth anybody's place in the line.
  if (!requestId || fields.RelayState !== state)
    refuse('the answer belongs to no sign-in that was begun here (RelayState)');
  const encoded = givenText(fields.SAMLResponse);
  const provider = await findProvider(deps, connector);
  const { notes, signedInAt, ...proven } = await deps.samlAnswers.prove(client, {
    encoded,
    provider: plain(provider),
    service: { ...serviceOf(connector, deps.publicOrigin()), acs: callback },
    requestId,
    now: deps.now(),
    signedInAfter: spec.force_authn === true ? Number(begun) : undefined,
    decryptionKey: privateKeyOf(connector, 'assertion_key_pair'),
    subjectAttribute: spec.subject_attribute,
    usernameAttribute: spec.username_attribute,
  });
  const facts = { ...connector.facts, entity: provider.issuer, ...certificateFacts(provider.certificates) };
  const change = certificateChange(connector.facts, facts);
  return {
    ...proven,
    provenAt: checkedProof(signedInAt, { field: 'AuthnInstant', kept, now: deps.now() }),
    issuer: issuerOf(connector.document),
    notes: change === undefined ? notes : [...notes, `the certificates of the provider have changed (${change})`],
    facts,
  };
}

function plain({ issuer, sso, certificates }: IdentityProvider): KnownProvider {
  return { issuer, sso, certificates: certificates.map((certificate) => certificate.toString()) };
}
