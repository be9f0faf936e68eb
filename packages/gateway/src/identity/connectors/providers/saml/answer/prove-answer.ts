/** What an answer of a provider proves: the whole way from the field of a form to somebody's name. For a thread of its own, as its cost is not bounded by the length of an answer. */
import type { GivenAnswer, ProvenAnswer } from '../../saml-answers.ts';
import { checkAssertion } from './check-assertion.ts';
import { checkResponse, readAnswer } from './check-response.ts';
import { readIdentity } from './read-identity.ts';
import { verifySignatures } from './verify-signatures.ts';

/**
 * The cheap refusals first: shape, address, request, issuer, times, and whether any of the keys made the signature at all. None of
 * them believes anything, so their order weakens nothing; what they let pass is verified as if they had not been there.
 */
export async function proveAnswer(given: GivenAnswer): Promise<ProvenAnswer> {
  const { provider, service, requestId, decryptionKey } = given;
  const expected = {
    acs: service.acs,
    requestId,
    issuer: provider.issuer,
    audience: service.audience,
    now: given.now,
    signedInAfter: given.signedInAfter,
    decryptionKey,
  };
  const checked = await checkResponse(given.encoded, expected);
  checkAssertion(checked.unverified, expected);
  const signed = await verifySignatures(checked, { provider, service, requestId, decryptionKey });
  // From here on nothing but the bytes the signature was made over.
  const assertion = readAnswer(signed, 'the signed assertion');
  const holding = checkAssertion(assertion, expected);
  const identity = readIdentity(assertion, holding, {
    subjectAttribute: given.subjectAttribute,
    usernameAttribute: given.usernameAttribute,
  });
  return {
    ...identity,
    signedInAt: holding.signedInAt,
    providerSession: holding.sessionIndex,
    expires: holding.expires,
  };
}
