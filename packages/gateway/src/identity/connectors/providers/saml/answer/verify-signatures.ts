/** Asks the library whether the signatures hold, and gives back what was signed and nothing else. */
import type { SamlConfig } from '@node-saml/node-saml';
import type { GivenAnswer, KnownProvider } from '../../saml-answers.ts';
import { certificatesBehind, unfitting } from './certificates-behind.ts';
import type { CheckedResponse } from './check-response.ts';
import { refuse } from './refuse.ts';

export interface LibrarySettings {
  provider: KnownProvider;
  service: GivenAnswer['service'];
  requestId: string;
  signingKey?: string | undefined;
  decryptionKey?: string | undefined;
}

/** Loaded with the first sign-in: most gateways have no SAML provider. */
export async function loadLibrary() {
  return await import('@node-saml/node-saml');
}

export async function openLibrary(
  { provider, service, requestId, signingKey, decryptionKey }: LibrarySettings,
  more: Partial<SamlConfig>,
) {
  const { SAML, ValidateInResponseTo } = await loadLibrary();
  return new SAML({
    issuer: service.entity,
    callbackUrl: service.acs,
    audience: service.audience,
    entryPoint: provider.sso,
    idpIssuer: provider.issuer,
    idpCert: [...provider.certificates],
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
  { text, isSigned, signatures }: CheckedResponse,
  { provider, ...settings }: LibrarySettings,
): Promise<string> {
  const certificates = certificatesBehind(signatures, provider.certificates);
  const library = await openLibrary(
    { ...settings, provider: { ...provider, certificates } },
    { wantAuthnResponseSigned: isSigned },
  );
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
    const what = isSigned && /document/.test(said) ? 'answer' : 'assertion';
    return refuse(unfitting(what, provider.certificates.length), { cause });
  }
}
