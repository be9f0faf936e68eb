/** How a database is signed in to, whatever its protocol. Whoever connects has said none of it: the gateway holds it. */
import type { Duplex } from 'node:stream';

export type Credential = { method: 'password'; password: string } | { method: 'certificate' };

export interface ServerTerms {
  user: string;
  /** Empty: the one that the server takes for this user. */
  database: string;
  credential: Credential;
  /** Of what is good for minutes only: makes it anew for each connection, once TLS stands. Then `user` and `credential` are as it says. */
  issue?: () => Promise<Issued>;
  /** Of MySQL: the role that is taken before anything else. */
  role?: string;
  /** Puts TLS around the bare stream, with our certificate where that signs in; undefined: the database is reached without TLS. */
  secure: ((bare: Duplex, limits?: TlsLimits) => Promise<Duplex>) | undefined;
  /** The server's certificate is checked: what is sent reaches nobody else. */
  isVerified: boolean;
}

export interface Issued extends Pick<ServerTerms, 'user' | 'credential'> {
  /** Called once when the server has let somebody in by it, or has not. What it throws keeps them out. */
  settled?(): Promise<void>;
}

export interface TlsLimits {
  /** The newest that the protocol can begin in the middle of a connection. */
  maxVersion?: 'TLSv1.2';
}

/** Signs in with what is good at this moment. */
export async function withIssued<Result>(
  terms: ServerTerms,
  signIn: (issued: ServerTerms) => Promise<Result>,
): Promise<Result> {
  if (!terms.issue) return await signIn(terms);
  const { settled, ...issued } = await terms.issue();
  let result: Result;
  try {
    result = await signIn({ ...terms, ...issued });
  } catch (error) {
    // Why nobody came in says more than what went wrong behind it.
    await settled?.().catch(() => {});
    throw error;
  }
  await settled?.();
  return result;
}
