/** Opens the agent's outbound socket: TLS to a gateway it was told to trust, or plain on this very machine. */

import { X509Certificate } from 'node:crypto';
import { connect, isIP, type Socket } from 'node:net';
import { type DetailedPeerCertificate, type TLSSocket, connect as tlsConnect } from 'node:tls';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import { messageOf, TunnelError } from '../tunnel-error.ts';

const MAX_CHAIN = 8;

export interface Trust {
  /** PEM of the authorities to trust instead of the system's. */
  ca?: string;
  /** SHA-256 of a certificate in the gateway's chain, usually its authority's: 64 hexadecimal digits, colons allowed. */
  pin?: string;
}

/** Refuses at once what can never be safe, so that a typing mistake does not become an endless retry. */
export function checkAddress(url: URL, { pin }: Trust): void {
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new TypeError('the gateway must be an https address');
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw new TypeError(`the gateway '${url.host}' must be dialled by https: plain http is for this machine only`);
  }
  if (pin !== undefined && !/^[0-9a-f]{64}$/.test(plainPin(pin))) {
    throw new TypeError('a pin must be the SHA-256 fingerprint of a certificate');
  }
}

export async function openSocket(url: URL, trust: Trust, signal: AbortSignal): Promise<Socket> {
  if (url.protocol === 'http:') return connected(connect(portOf(url), hostOf(url)), 'connect', signal);
  const ca = trust.pin === undefined ? trust.ca : await findPinned(url, trust.pin, signal);
  const socket = dialTls(url, { ca, allowPartialTrustChain: trust.pin !== undefined });
  return connected(socket, 'secureConnect', signal).catch(async (error: unknown) => {
    throw (await wrongDates(error, url, signal)) ?? error;
  });
}

/** A clock that is wrong looks like a bad certificate: both are said, so that somebody sees which it is. */
async function wrongDates(error: unknown, url: URL, signal: AbortSignal): Promise<TunnelError | undefined> {
  if (!(error instanceof TunnelError) || !isAboutDates(error.cause)) return undefined;
  // What was refused is gone by now: it is looked at again, and nothing is said to whoever shows it.
  const socket = dialTls(url, { rejectUnauthorized: false });
  const look = connected(socket, 'secureConnect', signal).then(() => chainOf(socket)[0]);
  const shown = await look.catch(() => undefined).finally(() => socket.destroy());
  if (!shown) return undefined;
  const [from, to] = [shown.validFrom, shown.validTo].map((date) => new Date(date).toISOString());
  const here = `by the clock of this machine it is ${new Date().toISOString()}`;
  const dates = `the gateway's is good from ${from} to ${to}, and ${here}`;
  return new TunnelError('untrusted', `${error.message}: ${dates}`, { cause: error.cause });
}

function isAboutDates(cause: unknown): boolean {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID';
}

/**
 * Looks at the chain the gateway shows and picks the pinned certificate from it, saying nothing to whoever it is. The
 * second connection then trusts that certificate alone, and OpenSSL checks names, dates and signatures as always.
 */
async function findPinned(url: URL, pin: string, signal: AbortSignal): Promise<string> {
  const socket = dialTls(url, { rejectUnauthorized: false });
  try {
    await connected(socket, 'secureConnect', signal);
    const pinned = pinnedIn(socket, pin);
    if (pinned !== undefined) return pinned;
    throw new TunnelError('untrusted', `the gateway at '${url.host}' does not show the pinned certificate`);
  } finally {
    socket.destroy();
  }
}

/** PEM of the certificate with that fingerprint among those the other side shows. */
export function pinnedIn(socket: TLSSocket, pin: string): string | undefined {
  return chainOf(socket)
    .find(({ fingerprint256 }) => plainPin(fingerprint256) === plainPin(pin))
    ?.toString();
}

function chainOf(socket: TLSSocket): X509Certificate[] {
  const chain: X509Certificate[] = [];
  let shown: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
  while (shown?.raw && chain.length < MAX_CHAIN) {
    chain.push(new X509Certificate(shown.raw));
    // A self-signed certificate names itself as its issuer.
    shown = shown.issuerCertificate === shown ? undefined : shown.issuerCertificate;
  }
  return chain;
}

interface TlsChoice {
  ca?: string;
  rejectUnauthorized?: boolean;
  allowPartialTrustChain?: boolean;
}

function dialTls(url: URL, choice: TlsChoice): TLSSocket {
  const host = hostOf(url);
  return tlsConnect({
    ...choice,
    host,
    port: portOf(url),
    servername: isIP(host) === 0 ? host : '',
    ALPNProtocols: ['http/1.1'],
  });
}

function connected<S extends Socket>(socket: S, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<S> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      stop();
      socket.destroy();
      const code = isUntrusted(error) ? 'untrusted' : 'unreachable';
      reject(signal.aborted ? signal.reason : new TunnelError(code, messageOf(error), { cause: error }));
    };
    let forget = () => {};
    const stop = () => {
      socket.off('error', fail);
      forget();
    };
    socket.on('error', () => {});
    socket.on('error', fail);
    forget = whenAborted(signal, () => fail(new Error('given up')));
    socket.once(event, () => {
      stop();
      socket.setNoDelay(true);
      socket.setKeepAlive(true, 30_000);
      resolve(socket);
    });
  });
}

/** OpenSSL's verdicts about certificates, and Node's about names; the rest are troubles of the network. */
function isUntrusted(error: Error): boolean {
  const code = 'code' in error ? String(error.code) : '';
  return /CERT|ERR_TLS|SELF_SIGNED|ISSUER|VERIFY|CRL/.test(code);
}

function plainPin(pin: string): string {
  return pin
    .replace(/^sha256:/i, '')
    .replaceAll(':', '')
    .toLowerCase();
}

/** An IPv6 address stands in brackets in a URL only. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
