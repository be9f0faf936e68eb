/** What the rest of the gateway needs of trust between clusters. */
import type { Alert } from '@gatehouse/contract/console/clusters';
import type { Actor, Who } from '../../platform/http/actor.ts';
import type { FeatureHandlers } from '../../platform/http/bind-api.ts';
import type { RemoteVisit } from '../../platform/http/relayed-door.ts';
import type { ClusterNews } from '../../platform/std/news-line.ts';
import type { FederationParts } from './federation-parts.ts';
import type { FederationKeys } from './key/federation-keys.ts';
import type { LeafDirectory } from './leaves/leaf-directory.ts';
import type { ClusterLinks } from './links.ts';
import type { Factors } from './news/factors.ts';
import type { StoredLeaf } from './stores/remote-cluster-store.ts';
import type { KnownTrust } from './trusts/known-trust.ts';

export interface Federation {
  own: { clusterId: string; name: string; version: string };
  /** Of this process: passports are for one. */
  gatewayId: string;
  keys: Pick<FederationKeys, 'now' | 'sign' | 'signByNext' | 'onChange'>;
  /** At the root: the leaves there are. */
  leaves: LeafDirectory & { onChange(listener: () => void): () => void };
  /** At the leaf: the roots there are, with what is to be dialled. */
  trusts: { all(): readonly KnownTrust[]; onChange(listener: () => void): () => void };
  /** What a leaf is to know of whoever calls; throws an `AppError` for who is known here alone. */
  passportFor(actor: Actor, leaf: Pick<StoredLeaf, 'id' | 'name' | 'wants'>, gateway: string): Promise<string>;
  /** At the root: a word by which that leaf learns once that whoever signed in has given a second factor here. */
  vouch(leafId: string, signInId: string): string;
  /** Who comes through the tunnel of that trust; throws an `AppError`. */
  admit(passport: string, trust: string): Promise<RemoteVisit>;
  /** A leaf has proven its key at the tunnel's door. */
  noteLeaf(id: string, seen: { version: string; key: string }): Promise<void>;
  /** A leaf has ended the trust from its side. */
  noteLeft(id: string, why: string): Promise<void>;
  /** What an administrator must hear of: that trust was ended from the other side. */
  alerts(actor: Actor): Alert[];
  /** The root has said farewell for good, or is back. */
  noteRoot(trust: string, ended: string | undefined): Promise<void>;
  /** From whoever holds the tunnels. */
  setLinks(links: ClusterLinks): void;
  links(): ClusterLinks;
  /** What is said on the lines to other clusters. */
  news: ClusterNews;
  /** Second factors of people of roots, which their roots check. */
  factors: Factors;
  /** Somebody of a root opened a session: their root writes it down. */
  tellSession(who: Who, session: { id: string; kind: string; resource: string }): Promise<void>;
  open(parts: FederationParts): FeatureHandlers<'trustedClusters' | 'remoteClusters'>;
  close(): void;
}
