/** Puts TLS around a stream to a resource, and says in words why it was not accepted. */
import { hash } from 'node:crypto';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import type { AppError } from '../../platform/std/app-error.ts';
import { BoundedMap } from '../../platform/std/bounded-map.ts';
import { unreachable } from '../direct/dial-tcp.ts';

export interface TlsTerms {
  /** What its certificate must be good for: a name, or an IP address. */
  name: string;
  /** The authority that must vouch for it, as PEM; empty: those the system knows. */
  ca: string;
  /** Authorities, as PEM, that may vouch for it beside those the system knows. */
  furtherCas?: readonly string[];
  /** Shown to who asks for one. */
  certificate?: { cert: string; key: string } | undefined;
  /** Anybody in between can then read and change what passes. */
  insecureSkipVerify: boolean;
  /** The authority must vouch for it, under whatever name. */
  anyName?: boolean;
  /** The newest version that is spoken; the newest there is unless told. */
  maxVersion?: 'TLSv1.2';
  /** The protocols spoken inside, as ALPN names them. */
  protocols: readonly string[];
}

/** The certificate is checked against the name; never skipped in silence. */
export function startTls(stream: Duplex, terms: TlsTerms, signal: AbortSignal): Promise<TLSSocket> {
  const { name, insecureSkipVerify, anyName = false, protocols } = terms;
  return new Promise((resolve, reject) => {
    const secureContext = contextOr(terms, reject);
    if (!secureContext) return;
    const socket = connect({
      socket: stream,
      ...(isIP(name) ? { host: name } : { servername: name, host: name }),
      secureContext,
      rejectUnauthorized: !insecureSkipVerify,
      ...(anyName ? { checkServerIdentity: () => undefined } : {}),
      ALPNProtocols: [...protocols],
    });
    const settled = whenAborted(
      signal,
      () => void socket.destroy(new Error('it does not finish the TLS handshake in time')),
    );
    socket.once('secureConnect', () => {
      settled();
      socket.on('error', () => {});
      // Said from within OpenSSL: whoever closed the socket now would free what is being read from, and end the process.
      setImmediate(() => (socket.destroyed ? reject(tlsFailure(new Error(CLOSED), name)) : resolve(socket)));
    });
    socket.once('error', (error) => {
      settled();
      reject(tlsFailure(error, name));
    });
    socket.once('close', () => {
      settled();
      reject(tlsFailure(new Error(CLOSED), name));
    });
  });
}

/** Which authorities are believed is all that one has, so that connections may share it: each of its own would take tens of kilobytes for as long as it is open. */
const shared = new BoundedMap<string, SecureContext>(64);

/** What somebody entered may be no key or certificate that OpenSSL works with: no mistake of ours. */
function contextOr(terms: TlsTerms, refuse: (error: AppError) => void): SecureContext | undefined {
  try {
    return contextFor(terms);
  } catch (error) {
    refuse(
      unreachable(
        `the certificate or key that is to be used for '${terms.name}' is not taken by TLS: ${wordsOfTls(error)}`,
        'give another certificate or key',
        error,
      ),
    );
    return undefined;
  }
}

function contextFor(terms: TlsTerms): SecureContext {
  // With a key inside, it is of one connection, and gone with it.
  if (terms.certificate) return makeContext(terms);
  const { ca, furtherCas = [], maxVersion = '' } = terms;
  const key = hash('sha256', JSON.stringify([ca, furtherCas, maxVersion]));
  const known = shared.get(key) ?? makeContext(terms);
  shared.set(key, known);
  return known;
}

/** Given one by one: named all together, the hundreds that the system knows would be read again for each connection, which takes 20 ms. */
function makeContext({ ca, furtherCas = [], certificate, maxVersion }: TlsTerms): SecureContext {
  const made = createSecureContext({
    ...(ca === '' ? {} : { ca }),
    ...certificate,
    ...(maxVersion ? { maxVersion } : {}),
    minVersion: 'TLSv1.2',
  });
  const { context } = made as { context: { addCACert(pem: string): void } };
  for (const further of furtherCas) context.addCACert(further);
  return made;
}

const CLOSED = 'it closed the connection';

function tlsFailure(error: Error, name: string): AppError {
  const code = 'code' in error ? String(error.code) : '';
  const [why, next] = TLS_WORDS[code] ?? [wordsOfTls(error), 'look at what listens there, and whether it speaks TLS'];
  return unreachable(`its certificate or TLS is not accepted for '${name}': ${why}`, next, error);
}

/** The message of OpenSSL begins with an address in the memory of this process, and names its files. */
export function wordsOfTls(error: unknown): string {
  if (!(error instanceof Error)) return 'it cannot be read';
  return 'reason' in error ? String(error.reason) : error.message;
}

const OWN_AUTHORITY = 'give its authority as CA, or the name in its certificate as server name';
const TLS_WORDS: Record<string, readonly [why: string, next: string]> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: ['it vouches for itself', OWN_AUTHORITY],
  SELF_SIGNED_CERT_IN_CHAIN: ['an authority nobody knows vouches for it', OWN_AUTHORITY],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['an authority nobody knows vouches for it', OWN_AUTHORITY],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['an authority nobody knows vouches for it', OWN_AUTHORITY],
  CERT_HAS_EXPIRED: ['it has expired', 'renew it'],
  ERR_SSL_WRONG_VERSION_NUMBER: [
    'what listens there does not speak TLS',
    'look at the address and the port, and whether TLS is meant',
  ],
  ERR_TLS_CERT_ALTNAME_INVALID: ['it names another host', OWN_AUTHORITY],
};
