/** How a database is signed in to, whatever its protocol. Whoever connects has said none of it: the gateway holds it. */
import type { Duplex } from 'node:stream';

export type Credential = { method: 'password'; password: string } | { method: 'certificate' };

export interface ServerTerms {
  user: string;
  /** Empty: the one that the server takes for this user. */
  database: string;
  credential: Credential;
  /** Of what is good for minutes only: makes it anew for each connection, once TLS stands. Then `user` and `credential` are as it says. */
  issue?: () => Promise<Pick<ServerTerms, 'user' | 'credential'>>;
  /** Puts TLS around the bare stream, with our certificate where that signs in; undefined: the database is reached without TLS. */
  secure: ((bare: Duplex, limits?: TlsLimits) => Promise<Duplex>) | undefined;
  /** The server's certificate is checked: what is sent reaches nobody else. */
  isVerified: boolean;
}

export interface TlsLimits {
  /** The newest that the protocol can begin in the middle of a connection. */
  maxVersion?: 'TLSv1.2';
}

/** With what signs in at this moment. */
export async function issuedTerms(terms: ServerTerms): Promise<ServerTerms> {
  return terms.issue ? { ...terms, ...(await terms.issue()) } : terms;
}
