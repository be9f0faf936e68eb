/** Asks an address as a stranger would, by name, and tells apart why it does not answer. */
import { lookup } from 'node:dns/promises';
import { type IncomingHttpHeaders, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { rootCertificates, type TLSSocket } from 'node:tls';
import { toldError } from '../../platform/std/told-error.ts';

const MAX_REPLY_BYTES = 64 * 1024;

export interface AddressAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** Who answered. */
  address: string;
  /** Undefined without TLS. */
  certificate: SeenCertificate | undefined;
}

export interface SeenCertificate {
  /** Why a browser would not take it; undefined when it would. */
  distrust: { code: string; words: string } | undefined;
  notAfter: Date;
  names: string;
  issuer: string;
}

export interface AskOptions {
  signal: AbortSignal;
  /** PEM of an authority that is known beside those of the system. */
  ca?: string | undefined;
  /** Another place than its name says: how a door is asked from inside. */
  host?: string;
}

/** Rejects with what can be read: no name, nothing listens, silence. Of several addresses, the first that answers. */
export async function askAddress(url: URL, options: AskOptions): Promise<AddressAnswer> {
  const addresses = await findAddresses(options.host ?? hostOf(url));
  let first: unknown;
  for (const { address } of addresses) {
    try {
      return await askOne(url, address, options);
    } catch (error) {
      first ??= error;
      if (options.signal.aborted) break;
    }
  }
  throw first;
}

async function askOne(url: URL, address: string, { signal, ca }: AskOptions): Promise<AddressAnswer> {
  const named = hostOf(url);
  return await new Promise<AddressAnswer>((resolve, reject) => {
    const isTls = url.protocol === 'https:';
    const options = {
      host: address,
      port: url.port || (isTls ? 443 : 80),
      path: url.pathname,
      headers: { host: url.host, accept: 'application/json' },
      agent: false,
      signal,
      // Who answers is looked at, and told; nothing is sent that were a secret.
      ...(isTls ? { servername: isName(named) ? named : '', rejectUnauthorized: false, ...trusting(ca) } : {}),
    };
    const call = (isTls ? tlsRequest : plainRequest)(options);
    call.on('error', (error) => reject(notAnswered(error, url, address)));
    call.on('response', (response) => {
      const certificate = isTls ? seen(response.socket as TLSSocket, named) : undefined;
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > MAX_REPLY_BYTES) call.destroy(new Error('what answers sends more than a gateway would'));
        else chunks.push(chunk);
      });
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
          address,
          certificate,
        }),
      );
    });
    call.end();
  });
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

async function findAddresses(name: string): Promise<{ address: string }[]> {
  try {
    return await lookup(name, { all: true });
  } catch (error) {
    throw new AddressError(`the name ${name} has no address here (${codeOf(error)})`, 'name', { cause: error });
  }
}

/** Why nothing answers: what to do differs. */
export class AddressError extends Error {
  override name = 'AddressError';
  readonly why: 'name' | 'refused' | 'silent' | 'other';

  constructor(message: string, why: AddressError['why'], options?: ErrorOptions) {
    super(message, options);
    this.why = why;
  }
}

function notAnswered(error: Error, { port, protocol }: URL, address: string): AddressError {
  const place = `${address} port ${port || (protocol === 'https:' ? 443 : 80)}`;
  const code = codeOf(error);
  if (code === 'ECONNREFUSED') return new AddressError(`nothing listens at ${place}`, 'refused', { cause: error });
  if (error.name === 'AbortError' || code === 'ETIMEDOUT')
    return new AddressError(`${place} is silent: a firewall drops it, or the address is wrong`, 'silent', {
      cause: error,
    });
  return new AddressError(`${place} does not answer as a gateway: ${toldError(error)}`, 'other', { cause: error });
}

function seen(socket: TLSSocket, named: string): SeenCertificate | undefined {
  const certificate = socket.getPeerX509Certificate();
  if (!certificate) return undefined;
  const covers = isName(named) ? certificate.checkHost(named) : certificate.checkIP(named);
  const code = String(socket.authorizationError ?? '');
  const names = (certificate.subjectAltName ?? '').replaceAll(/(DNS|IP Address):/g, '');
  const distrust =
    !socket.authorized && code !== 'ERR_TLS_CERT_ALTNAME_INVALID'
      ? { code, words: distrustWords(code) }
      : covers === undefined
        ? { code: 'NAME', words: `it is for ${names || 'no name'}, not for ${named}` }
        : undefined;
  return {
    distrust,
    notAfter: certificate.validToDate,
    names,
    issuer: certificate.issuer.replaceAll('\n', ', '),
  };
}

function distrustWords(code: string): string {
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return 'it has expired';
    case 'CERT_NOT_YET_VALID':
      return 'it is not valid yet';
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
      return 'it is of an authority that nobody knows';
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'UNABLE_TO_GET_ISSUER_CERT':
      return 'its chain does not lead to an authority that is known: the certificates between are missing, or the authority is';
    default:
      return `it is not trusted (${code})`;
  }
}

function trusting(ca: string | undefined): { ca?: string[] } {
  return ca === undefined ? {} : { ca: [...rootCertificates, ca] };
}

function isName(host: string): boolean {
  return !/^[\d.]+$/.test(host) && !host.includes(':');
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
