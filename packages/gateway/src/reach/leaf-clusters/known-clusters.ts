/** What the tunnels between clusters ask of the trust that is behind them. */
import type { Actor } from '../../platform/http/actor.ts';
import type { RemoteVisit } from '../../platform/http/relayed-door.ts';

/** A leaf of this cluster. */
export interface KnownLeaf {
  /** From its first start on, whatever it is called. */
  id: string;
  name: string;
  key: string;
  next: string | undefined;
  /** Traits of people that it asked for. */
  wants: readonly string[];
  lastSeen: number | undefined;
}

/** A root whose people are let in here. */
export interface KnownRoot {
  /** Of the trust. */
  name: string;
  enabled: boolean;
  /** Where it is dialled: an origin. */
  address: string;
  /** Of the certificate it must show; the machine's own authorities vouch for it otherwise. */
  pin?: string | undefined;
  /** Why nothing comes of dialling. */
  ended: string | undefined;
}

/** By which words a leaf says that it was not only its gateway that closed. */
export const TRUST_ENDED = 'the trust was ended or disabled there';

/** How things stand with another cluster at this moment. */
export type LinkState =
  | { isConnected: true; since: number; version?: string | undefined }
  | { isConnected: false; since?: number | undefined; trouble?: string | undefined };

export interface RootTrust {
  leaves: {
    any(): boolean;
    byId(id: string): KnownLeaf | undefined;
    byKey(key: string): KnownLeaf | undefined;
    find(name: string, actor: Actor): KnownLeaf | undefined;
    onChange(listener: () => void): () => void;
  };
  /** Throws an `AppError` for who is known here alone. */
  passportFor(actor: Actor, leaf: Pick<KnownLeaf, 'id' | 'name' | 'wants'>, gateway: string): Promise<string>;
  /** A word by which it learns once that whoever signed in has given a second factor here. */
  vouch(leafId: string, signInId: string): string;
  noteLeaf(id: string, seen: { version: string; key: string }): Promise<void>;
  /** It has ended the trust from its side. */
  noteLeft(id: string, why: string): Promise<void>;
}

export interface LeafTrust {
  /** Of this process: passports are for one. */
  gatewayId: string;
  trusts: { all(): readonly KnownRoot[]; onChange(listener: () => void): () => void };
  keys: { now(): Promise<{ current: { publicKey: string } }>; sign(bytes: Buffer): Promise<Buffer> };
  /** Throws an `AppError`. */
  admit(passport: string, trust: string): Promise<RemoteVisit>;
  noteRoot(trust: string, ended: string | undefined): Promise<void>;
}
