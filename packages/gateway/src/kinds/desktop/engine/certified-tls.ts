/** TLS with a desktop, begun in the middle of its protocol, and the certificate that it shows. */
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { startTls, wordsOfTls } from '../../../reach/tls/start-tls.ts';
import { DesktopFailure } from './desktop-link.ts';

export interface ShownCertificate {
  leaf: Buffer;
  /** Who vouches for whom. */
  chain: readonly Buffer[];
}

/** Whether it is the right one is asked before anything is sent through it. */
export async function secured(stream: Duplex, serverName: string, signal: AbortSignal): Promise<TLSSocket> {
  try {
    return await startTls(stream, { name: serverName, ca: '', insecureSkipVerify: true, protocols: [] }, signal);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? wordsOfTls(error.cause) : '';
    throw new DesktopFailure('tls', 'tls', `TLS with the host does not come about${cause === '' ? '' : `: ${cause}`}`, {
      cause: error,
      next: 'look at the certificate and the TLS settings of the host',
    });
  }
}

const MAX_CHAIN = 10;

/** The leaf, then who vouches for whom. */
export function certificateOf(secure: TLSSocket): ShownCertificate {
  const chain: Buffer[] = [];
  let next: ReturnType<TLSSocket['getPeerX509Certificate']> = secure.getPeerX509Certificate();
  while (next && chain.length < MAX_CHAIN && !chain.some((each) => each.equals(next!.raw))) {
    chain.push(next.raw);
    next = next.issuerCertificate;
  }
  const [leaf, ...others] = chain;
  if (!leaf) throw new DesktopFailure('tls', 'no_certificate', 'the host shows no certificate');
  return { leaf, chain: others };
}
