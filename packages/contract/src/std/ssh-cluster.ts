/** Names of clusters that a configuration of ssh may send hosts by: `*.NAME`. */

/** Names that far too much of the world ends in: what else goes to `*.com` must not go to a gateway. */
const TOO_WIDE = new Set(['com', 'net', 'org', 'edu', 'gov', 'mil', 'int', 'arpa', 'info', 'biz', 'local']);
const CLUSTER = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/;

/** In small letters. */
export function isSshCluster(name: string): boolean {
  return name.length <= 63 && CLUSTER.test(name) && name.length > 2 && !TOO_WIDE.has(name);
}
