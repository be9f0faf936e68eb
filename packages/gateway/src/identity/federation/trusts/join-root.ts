/** Asks a root to take this cluster as a leaf: first who it is, and only then with the token. */
import type { ClusterEntry } from '@gatehouse/contract/reach/trusted-clusters/cluster-entry';
import { federationKey, trustedClusterRoutes } from '@gatehouse/contract/reach/trusted-clusters/trusted-clusters';
import { printable } from '@gatehouse/contract/std/printable';
import { errorBody } from '@gatehouse/contract/wire/errors';
import { AppError } from '../../../platform/std/app-error.ts';
import type { ProviderFetch } from '../../connectors/providers/provider-fetch.ts';
import { keyFingerprintOf } from '../key/key-fingerprint.ts';
import { readEntry } from './entry.ts';

interface Wanted {
  /** An origin. */
  address: string;
  /** Fingerprint that the root's administrator gave. */
  rootKey: string | undefined;
  /** Of the certificate it must show. */
  pin: string | undefined;
}

const MAX_TOLD = 400;

/** Throws where somebody else answers, or nobody. Nothing secret has been sent by then. */
export async function lookAtRoot(fetch: ProviderFetch, { address, rootKey, pin }: Wanted): Promise<ClusterEntry> {
  if (rootKey === undefined && !address.startsWith('https:'))
    throw new AppError(
      'bad_request',
      "'spec.root_key' is missing: without TLS nothing else tells the root from somebody in between. The root shows it with the token",
    );
  const reply = await fetch(`${address}${trustedClusterRoutes.key.path}`, { pin });
  const told = reply.ok ? federationKey.safeParse(await jsonOf(reply)).data : undefined;
  const entry = told && readEntry(told.entry);
  if (!entry)
    throw new AppError(
      'target_unreachable',
      `${address} does not say who it is: only Gatehouse clusters of this version or a newer one can be joined`,
    );
  requireKey(entry, rootKey);
  return entry;
}

/** What the root says of itself once it has taken this cluster. */
export async function joinRoot(
  fetch: ProviderFetch,
  { address, rootKey, pin, token, own, root }: Wanted & { token: string; own: string; root: ClusterEntry },
): Promise<ClusterEntry> {
  const reply = await fetch(`${address}${trustedClusterRoutes.validate.path}`, {
    method: 'POST',
    pin,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, certificate_authorities: [own] }),
  });
  const body = await jsonOf(reply);
  if (!reply.ok) {
    const why = errorBody.safeParse(body).data?.error.message ?? `it answers with status ${reply.status}`;
    throw new AppError('bad_request', `the root refused: ${printable(why).slice(0, MAX_TOLD)}`);
  }
  const [text = ''] = trustedClusterRoutes.validate.reply.safeParse(body).data?.certificate_authorities ?? [];
  const entry = readEntry(text);
  if (!entry || entry.clusterId !== root.clusterId)
    throw new AppError('target_unreachable', `${address} answers as another cluster than a moment ago: try again`);
  requireKey(entry, rootKey ?? keyFingerprintOf(root.key));
  return entry;
}

function requireKey({ key }: ClusterEntry, wanted: string | undefined): void {
  const shown = keyFingerprintOf(key);
  if (wanted === undefined || shown === wanted) return;
  throw new AppError(
    'bad_request',
    `the root's key is ${shown}, the command says ${wanted}: somebody is in between, or it was rotated`,
    { fields: { field: 'spec.root_key', shown, wanted } },
  );
}

async function jsonOf(reply: Response): Promise<unknown> {
  try {
    return JSON.parse(await reply.text());
  } catch {
    return undefined;
  }
}
