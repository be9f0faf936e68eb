/** Asks the library whether the signatures hold, and gives back what was signed and nothing else. */
import type { SamlConfig } from '@node-saml/node-saml';
import type { IdentityProvider } from '../provider/entity-descriptor.ts';
import type { Service } from '../service.ts';
import type { CheckedResponse } from './check-response.ts';
import { refuse } from './refuse.ts';

export interface LibrarySettings {
  provider: IdentityProvider;
  service: Service;
  requestId: string;
  signingKey?: string | undefined;
  decryptionKey?: string | undefined;
}

/** Loaded with the first sign-in: most gateways have no SAML provider. */
export async function openLibrary(
  { provider, service, requestId, signingKey, decryptionKey }: LibrarySettings,
  more: Partial<SamlConfig>,
) {
  const { SAML, ValidateInResponseTo } = await import('@node-saml/node-saml');
  return new SAML({
    issuer: service.entity,
    callbackUrl: service.acs,
    audience: service.audience,
    entryPoint: provider.sso,
    idpIssuer: provider.issuer,
    idpCert: provider.certificates.map((certificate) => certificate.toString()),
    wantAssertionsSigned: true,
    validateInResponseTo: ValidateInResponseTo.always,
    // The attempt is found and used up before; here one request was ever made.
    cacheProvider: {
      saveAsync: async () => null,
      getAsync: async (id) => (id === requestId ? new Date().toISOString() : null),
      removeAsync: async () => null,
    },
    // It goes by the machine's clock. Times are checked in check-assertion.ts, by the gateway's.
    acceptedClockSkewMs: -1,
    generateUniqueId: () => requestId,
    signatureAlgorithm: 'sha256',
    disableRequestedAuthnContext: true,
    ...(signingKey === undefined ? {} : { privateKey: signingKey }),
    ...(decryptionKey === undefined ? {} : { decryptionPvk: decryptionKey }),
    ...more,
  });
}

/** The assertion as it was signed. */
export async function verifySignatures(
  { text, isSigned }: CheckedResponse,
  settings: LibrarySettings,
): Promise<string> {
  const library = await openLibrary(settings, { wantAuthnResponseSigned: isSigned });
  const SAMLResponse = Buffer.from(text, 'utf8').toString('base64');
  try {
    const { profile } = await library.validatePostResponseAsync({ SAMLResponse });
    const signed = profile?.getAssertionXml?.();
    if (signed === undefined) refuse('no signed assertion was found in the answer');
    return signed;
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : '';
    if (!/^Invalid (?:document )?signature/i.test(said))
      refuse(`the answer is refused: ${said.slice(0, 300)}`, { cause });
    const count = settings.provider.certificates.length;
    const what = isSigned && /document/.test(said) ? 'answer' : 'assertion';
    return refuse(
      `the signature of the ${what} does not fit ${count === 1 ? 'the certificate' : `any of the ${count} certificates`} of the provider: it was changed on its way, or signed with another key`,
      { cause },
    );
  }
}
