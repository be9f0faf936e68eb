/** What the gateway shows Kubernetes clusters: sealed beside the record, told to nobody, and good for the address and the certificate that it was given for. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { type KubeCredential, type KubeSpec, kubeCredential } from '@gatehouse/contract/kinds/kube/kube-spec';
import { z } from 'zod';
import type { SealedContext, SecretBox } from '../../platform/secrets/secret-box.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { kubeTargetOf, type ListedKube } from './listed-kube.ts';

const contents = z.object({
  /** Another address has no claim to it, however it came into the record. */
  kubeTarget: z.string(),
  credential: kubeCredential,
});

type Sealed = Pick<ListedKube, 'spec' | 'sealed'>;

export interface KubeSecrets {
  seal(name: string, spec: KubeSpec, credential: KubeCredential): string;
  /** What stays of it when the record becomes `after`: it, or nothing. */
  keep(before: Sealed, after: KubeSpec): string | undefined;
  /** Undefined where none is stored, or it was given for another address. */
  credentialOf(name: string, cluster: Sealed): KubeCredential | undefined;
}

export function createKubeSecrets(box: SecretBox): KubeSecrets {
  return {
    seal: (name, spec, credential) =>
      box.seal(placeOf(name), JSON.stringify({ kubeTarget: kubeTargetOf(spec), credential })),
    keep: (before, after) => (kubeTargetOf(before.spec) === kubeTargetOf(after) ? before.sealed : undefined),
    credentialOf(name, { spec, sealed }) {
      if (sealed === undefined) return undefined;
      const { kubeTarget, credential } = contents.parse(JSON.parse(box.openText(placeOf(name), sealed)));
      return kubeTarget === kubeTargetOf(spec) ? credential : undefined;
    },
  };
}

function placeOf(name: string): SealedContext {
  return { table: 'resource', id: name, column: 'sealed' };
}

/** When it ends, as it says itself; undefined where it does not. Throws, in words, for what no cluster would take. */
export function endOfCredential(credential: KubeCredential): Date | undefined {
  if ('token' in credential) return endOfToken(credential.token);
  const wrong = (why: string) => new AppError('bad_request', `credential.${why}`);
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(credential.cert);
  } catch (error) {
    throw wrong(`cert holds no certificate that can be read (${(error as Error).message})`);
  }
  let key: KeyObject;
  try {
    key = createPrivateKey(credential.key);
  } catch {
    throw wrong('key holds no key that can be read: one with a passphrase cannot be used');
  }
  if (!certificate.checkPrivateKey(key)) throw wrong('key does not belong to the certificate');
  return certificate.validToDate;
}

const claims = z.object({ exp: z.number().int().positive().max(8.64e12).optional() });

/** Tokens that are no JWT say nothing; that their signature is good, only the cluster can tell. */
export function endOfToken(token: string): Date | undefined {
  const [, payload, signature] = token.split('.');
  if (!payload || signature === undefined) return undefined;
  try {
    const { exp } = claims.parse(JSON.parse(Buffer.from(payload, 'base64url').toString()));
    return exp === undefined ? undefined : new Date(exp * 1_000);
  } catch {
    return undefined;
  }
}
