/** Where a store that is a server listens, from the address it is opened by. */
import type { Secret } from '../std/secret.ts';

const USUAL_PORT = 5432;

/** Undefined without one, and where it is reached by a socket in the file system. */
export function storeAddress(written: Pick<Secret, 'reveal'> | undefined): { host: string; port: number } | undefined {
  const url = written?.reveal();
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { hostname, port, searchParams } = new URL(url);
  const host = searchParams.get('host') ?? hostname.replace(/^\[(.*)\]$/, '$1');
  if (host === '' || host.startsWith('/')) return undefined;
  return { host: decodeURIComponent(host), port: Number(searchParams.get('port') ?? (port || USUAL_PORT)) };
}
