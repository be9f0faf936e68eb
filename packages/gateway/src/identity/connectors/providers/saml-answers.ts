/** Where answers of SAML providers are checked: not among everything else, as what a forged one costs is not bounded by its length. */

export interface SamlAnswers {
  /** `client` is counted, as everywhere. Throws `ProviderError`, also where there is no place in the line. */
  prove(client: string, given: GivenAnswer): Promise<ProvenAnswer>;
  /** Somebody will come back with an answer. */
  warm(): void;
  close(): Promise<void>;
}

/** An answer and everything it is checked with, as plain values: they are sent to another thread. */
export interface GivenAnswer {
  /** SAMLResponse, as it came. */
  encoded: string;
  provider: KnownProvider;
  service: { acs: string; entity: string; audience: string };
  requestId: string;
  now: number;
  /** When the request was made, where it asked that they sign in anew. */
  signedInAfter: number | undefined;
  /** PEM; without it, encrypted assertions are refused. */
  decryptionKey: string | undefined;
  subjectAttribute: string | undefined;
  usernameAttribute: string | undefined;
}

export interface KnownProvider {
  issuer: string;
  sso: string;
  /** PEM; those that may sign now. */
  certificates: readonly string[];
}

export interface ProvenAnswer {
  subject: string;
  username: string;
  claims: Map<string, string[]>;
  mfa: boolean;
  /** The earliest that it tells of. */
  signedInAt: number;
  notes: string[];
  providerSession: string | undefined;
  /** When what the provider said ends. */
  expires: number | undefined;
}
