/** How things stand with other clusters at this moment, told by whoever holds the tunnels: from memory, never by asking them. */

export type LinkState =
  | { isConnected: true; since: number; version?: string | undefined }
  | { isConnected: false; since?: number | undefined; trouble?: string | undefined };

export interface ClusterLinks {
  /** Of a leaf, by its id. */
  leaf(id: string): LinkState;
  /** Of a root, by the name of the trust. */
  root(trust: string): LinkState;
}

/** Before anybody holds one. */
export const NO_LINKS: ClusterLinks = {
  leaf: () => ({ isConnected: false }),
  root: () => ({ isConnected: false }),
};
