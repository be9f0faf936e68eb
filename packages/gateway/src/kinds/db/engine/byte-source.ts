/** What the other side of a connection of databases says before its bytes are only passed on, and what it is called that it goes or says nothing. */
import type { Duplex } from 'node:stream';
import { StreamBytes } from '../../../platform/std/stream-bytes.ts';
import { DbFailure, type DbFailureKind } from './db-failure.ts';

/** What to do where a database wants a certificate and is shown none. */
export const BY_CERTIFICATE =
  'sign in to this database by certificate, and store beside it the password that it asks for; or let it ask for none (Redis: tls-auth-clients optional)';
const WANTS_CERTIFICATE = 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED';

export class ByteSource extends StreamBytes {
  /** `whenGone`: what it is called that the other side has gone, or says nothing in time. */
  constructor(stream: Duplex, whenGone: DbFailureKind = 'gone') {
    super(stream, {
      closed: () => new DbFailure(whenGone, 'the connection was closed'),
      silent: () => new DbFailure(whenGone, 'no answer in time'),
      lost: (error) => endedInTls(error) ?? error,
    });
  }
}

/** In TLS 1.3 a server judges the certificate of who comes when that one's handshake is over: its alert arrives where an answer is waited for. */
function endedInTls(error: Error): DbFailure | undefined {
  if (!('library' in error && error.library === 'SSL routines')) return undefined;
  if ('code' in error && error.code === WANTS_CERTIFICATE)
    return new DbFailure('unsupported', 'it lets in only who shows a certificate', {
      cause: error,
      next: BY_CERTIFICATE,
    });
  // The message of OpenSSL begins with an address in the memory of this process, and names its files.
  const reason = 'reason' in error ? String(error.reason) : 'an error of TLS';
  return new DbFailure('unsupported', `it ends TLS: ${reason}`, {
    cause: error,
    next: 'look there whether it takes the certificate that the gateway shows: gatehouse ca export --type db_client',
  });
}
