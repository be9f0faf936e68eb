/** Our own keys towards a provider: one to sign requests with, one that assertions may be encrypted for. */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { OpenConnector } from '../../provider.ts';
import { ProviderError } from '../../provider-error.ts';
import { CertificateRefused, readCertificates } from './certificates.ts';

export type KeyPairField = 'signing_key_pair' | 'assertion_key_pair';

/** PEM; nothing where the connector has no such pair. */
export function privateKeyOf({ document, secrets }: OpenConnector<'saml'>, field: KeyPairField): string | undefined {
  const pair = document.spec[field];
  if (!pair) return undefined;
  const text = secrets[`spec.${field}.private_key`];
  if (text === undefined) throw new ProviderError('settings', `${field} has no private_key: enter it again`);
  let key: KeyObject;
  try {
    key = createPrivateKey(text);
  } catch (cause) {
    throw new ProviderError('settings', `private_key of ${field} is not a private key in PEM`, { cause });
  }
  try {
    const [certificate] = readCertificates(pair.cert);
    if (!certificate!.checkPrivateKey(key)) throw new CertificateRefused('is not of its private_key');
  } catch (cause) {
    if (!(cause instanceof CertificateRefused)) throw cause;
    throw new ProviderError('settings', `cert of ${field} ${cause.message}`, { cause });
  }
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}
