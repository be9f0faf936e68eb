/** What a kind of sign-in provider can do: a row for each in `providers.ts`. Whatever a provider says is hostile until it is checked here. */
import type { ConnectorDocuments } from '@gatehouse/contract/identity/connectors/connector-document';
import type { ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import type { Audit } from '../../../platform/audit/emit.ts';
import type { Log } from '../../../platform/std/log.ts';
import type { Memo } from '../../../platform/std/memo.ts';
import type { Tx } from '../../../platform/storage/tables.ts';
import type { ProviderFetch } from './provider-fetch.ts';
import type { ProviderMemories } from './provider-memory.ts';
import type { SamlAnswers } from './saml-answers.ts';

/** A connector as it is used: read, with its secrets open. Never logged and never sent. */
export interface OpenConnector<K extends ConnectorKind = ConnectorKind> {
  kind: K;
  name: string;
  document: ConnectorDocuments[K];
  /** By the path in the document: `spec.client_secret`. */
  secrets: Readonly<Record<string, string>>;
  /** What was learnt of the provider by earlier tests and sign-ins. */
  facts: ConnectorFacts;
  /** Whether its provider may be on the machine the gateway runs on. */
  ownMachine?: boolean | undefined;
  /** Whether what speaks for its provider was written by somebody who may edit roles. */
  isVouched?: boolean | undefined;
}

export type ConnectorFacts = Readonly<Record<string, unknown>>;

export interface ProviderDeps {
  fetch: ProviderFetch;
  /** For what providers publish: settings, keys, metadata. */
  recall: ProviderMemories;
  /** For what is made of a connector, and wanted again for each who comes through it. */
  memo: Memo;
  samlAnswers: SamlAnswers;
  now: () => number;
  log: Log;
  /** Where people open the console: callbacks and metadata begin with it. */
  publicOrigin(): string;
}

/** Names to values. A map: a claim may be called `__proto__`. */
export type Claims = ReadonlyMap<string, readonly string[]>;

/** Somebody, as a provider has proven. */
export interface Assertion {
  /** Who says so; the subject means nothing without it. */
  issuer: string;
  /** What never changes for them there, and is never given to somebody else. */
  subject: string;
  /** What they are to be called here. */
  username: string;
  claims: Claims;
  /** Whether the provider says that a second factor was used. */
  mfa: boolean;
  /** When they proved all that, as the provider says; undefined where it does not. Never to come. */
  provenAt?: number | undefined;
  /** The provider's own session: `sid`, SessionIndex. */
  providerSession?: string | undefined;
  /** When what the provider said ends. */
  expires?: number | undefined;
  /** What a recheck asks with, as text; sealed by whoever keeps it. */
  tokens?: string | undefined;
  /** What is worth saying about the claims: groups that were left out, an organisation that did not approve us. */
  notes: readonly string[];
  /** What was learnt of the provider. */
  facts?: ConnectorFacts | undefined;
}

/** One entry of a mapping, told by its place in the document. */
export interface MappingEntry {
  /** `claims_to_roles[2]`. */
  path: string;
  claim: string;
  /** Exact, with `*`, or a regular expression between `^` and `$`; `exact` where it is never a pattern. */
  value: string;
  exact?: true;
  roles: readonly string[];
}

/** What the provider must be told about this gateway. */
export interface ProviderEntry {
  what: 'callback' | 'metadata' | 'entity' | 'backchannel' | 'signout';
  value: string;
}

export interface BeginRequest {
  state: string;
  callback: string;
  /** Somebody chooses who they are: whoever the browser is signed in as over there is not taken unasked. A wish, which some providers do not know. */
  asksWho?: boolean | undefined;
  /**
   * What follows is for whoever sits there now: they must sign in there anew, and the answer must say when they did. Throws `ProviderError`
   * where the provider cannot say so.
   */
  isFresh?: boolean | undefined;
  /** Any stranger can set it off: a provider that has just failed is not asked again for it. */
  isSparing?: boolean | undefined;
}

export interface Begun {
  /** Where the browser is sent. */
  url: string;
  /** What the answer is checked with: verifier, nonce, request id. Sealed, given back with the answer, used once. */
  kept: Readonly<Record<string, string>>;
  /** What was found on the way, for the test: `found 14 settings at …`. */
  discovery: string;
}

export interface AnswerRequest {
  /** What came with the browser: the query of a callback or the fields of a form, and nothing of it is believed yet. */
  fields: Readonly<Record<string, unknown>>;
  /** The address it came to, as the provider was told it. */
  callback: string;
  state: string;
  kept: Readonly<Record<string, string>>;
  /** Who brought it, as clients are counted. */
  client: string;
}

export type Recheck =
  /**
   * Still theirs, with these claims; `tokens` replace those that were asked with. `stale`: claims that the provider said nothing of now, which
   * are those of the last sign-in.
   */
  | {
      state: 'confirmed';
      claims: Claims;
      stale?: readonly string[];
      tokens?: string | undefined;
      notes: readonly string[];
    }
  /** The provider says that they are gone, or have taken back what they allowed. */
  | { state: 'gone'; why: string }
  /** The provider took the tokens, gave these for them and then failed: nothing ends by that, but those that were asked with are used up. `isTrouble`: whoever is asked about. */
  | { state: 'unanswered'; why: string; isTrouble: boolean; tokens: string };

export interface ProviderRow<K extends ConnectorKind> {
  /** Who the provider of a document is: with another one, identities of this one are nobody's. */
  issuerOf(document: ConnectorDocuments[K]): string;
  /**
   * What decides, beside the issuer, who may say that somebody is a subject of it, to whom they say it, and where: whoever changes this
   * can be any of them.
   */
  voiceOf(
    connector: { name: string; document: ConnectorDocuments[K] },
    origin: string,
  ): readonly (string | undefined)[];
  /** What the schema cannot know: fields that only work together. Paths as in the document. */
  check(document: ConnectorDocuments[K]): readonly { path: readonly PropertyKey[]; message: string }[];
  entries(document: ConnectorDocuments[K]): readonly MappingEntry[];
  enter(connector: { name: string; document: ConnectorDocuments[K] }, origin: string): readonly ProviderEntry[];
  /** Where addresses of the provider stand in the document. */
  addressFields: readonly string[];
  /** Where the document says where the provider answers to, if it does. */
  callbackField: string;
  /** The address the provider answers to. */
  callbackOf(connector: { name: string; document: ConnectorDocuments[K] }, origin: string): string;
  begin(deps: ProviderDeps, connector: OpenConnector<K>, request: BeginRequest): Promise<Begun>;
  /** Throws `ProviderError` with the step that failed. */
  answer(deps: ProviderDeps, connector: OpenConnector<K>, request: AnswerRequest): Promise<Assertion>;
  /** Throws `ProviderError` where the provider does not answer: nothing ends by that. */
  recheck?(deps: ProviderDeps, connector: OpenConnector<K>, tokens: string): Promise<Recheck>;
  /** What is asked with from now on, after a sign-in that brought nothing new for that: `held`, with what the provider said now. */
  keptTokens?(held: string, claims: Claims): string;
  /** Tells by an event what is other than before in what was learnt of the provider, where anybody should know. */
  tellLearnt?(to: { tx: Tx; audit: Audit; name: string }, before: ConnectorFacts, after: ConnectorFacts): Promise<void>;
  /** Where a browser signs out at the provider too; undefined where the provider has no such place. */
  signOutUrl?(deps: ProviderDeps, connector: OpenConnector<K>): Promise<string | undefined>;
}
