/** The tables of clusters that trust each other, as Kysely sees them. */

export interface FederationTables {
  federation_key: FederationKeyTable;
  trusted_cluster: TrustedClusterTable;
  trust_name: TrustNameTable;
  remote_cluster: RemoteClusterTable;
  cluster_join_token: ClusterJoinTokenTable;
  remote_user: RemoteUserTable;
}

/** The keys by which other clusters know this one; the private halves are sealed among the secrets. */
interface FederationKeyTable {
  id: string;
  /** 32 bytes in base64url. */
  public_key: string;
  created: number;
  /** From when on it signs, in the place of the one before. */
  signs_from: number;
}

/** A root whose people are let in here. */
interface TrustedClusterTable {
  name: string;
  /** The document without its token. */
  content: string;
  revision: string;
  enabled: number;
  address: string;
  root_id: string;
  root_name: string;
  root_key: string;
  /** The key it has announced, signed by the one before. */
  root_next: string | null;
  created: number;
  created_by: string;
  /** Why nothing comes of dialling, in the words of the root; null while that is worth trying. */
  ended: string | null;
  ended_at: number | null;
  /** When one of the gateways here last had news with it. */
  heard: number | null;
}

/** Whose name it is, also after the trust is gone: sessions, recordings and locks of its people are kept under it. */
interface TrustNameTable {
  name: string;
  root_id: string;
  root_key: string;
  root_next: string | null;
}

/** A leaf that joined this cluster. */
interface RemoteClusterTable {
  id: string;
  name: string;
  key: string;
  next: string | null;
  labels: string;
  version: string;
  /** Traits that it asked for. */
  wants: string;
  created: number;
  created_by: string;
  last_seen: number | null;
  /** When, and in which words, it ended the trust from its side; null while it has not. */
  left_at: number | null;
  left_why: string | null;
}

interface ClusterJoinTokenTable {
  hash: string;
  created: number;
  created_by: string;
  expires: number;
  used_at: number | null;
}

/** Somebody of a root who was here: known as `trust/name`. */
interface RemoteUserTable {
  trust: string;
  name: string;
  /** As the root names them; what they give here is worked out again when the map changes. */
  remote_roles: string;
  roles: string;
  traits: string;
  auth_type: string;
  seen: number;
  /** By which the root numbers what they hold; null: it is of an older release. */
  told_version: number | null;
  /** When the root said so, in seconds of its clock. */
  told_at: number | null;
}
