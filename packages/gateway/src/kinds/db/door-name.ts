/** The names by which programs come to databases at the public port: `NAME.db.<public host>`, and `NAME.CLUSTER.db.<public host>` for those of another cluster. */
import { isIP } from 'node:net';

const BELOW = 'db';

/** Empty where the gateway has no name to put one under. */
export function doorName(database: string, publicHost: string, cluster?: string): string {
  return isAddress(publicHost) ? '' : `${nameAtDoor(database, cluster)}.${BELOW}.${publicHost}`;
}

/** What stands before, of a database of this cluster or of another. */
export function nameAtDoor(database: string, cluster: string | undefined): string {
  return cluster === undefined ? database : `${database}.${cluster.toLowerCase()}`;
}

/** Undefined where the host stands elsewhere; both are in lower case. What stands before may be no name of a database at all. */
export function databaseNamed(host: string, publicHost: string): string | undefined {
  const end = `.${BELOW}.${publicHost}`;
  return !isAddress(publicHost) && host.length > end.length && host.endsWith(end)
    ? host.slice(0, -end.length)
    : undefined;
}

function isAddress(host: string): boolean {
  return isIP(host.replace(/^\[(.*)\]$/, '$1')) !== 0;
}
