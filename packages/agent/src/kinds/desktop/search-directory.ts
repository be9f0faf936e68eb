/** Asks a directory for its computers, page by page, and never without TLS. */
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { ClientOptions } from 'ldapts';
import type { DirectoryConfig } from './directory-config.ts';
import { ATTRIBUTES, type DirectoryEntry } from './directory-desktops.ts';

const PAGE = 500;
const WITHIN_MS = 30_000;
/** Pages may hold nothing but names of other directories; one that sends no others would be asked for ever. */
const MAX_EMPTY_PAGES = 20;
const MAX_VALUE = 1_024;

export interface Computer {
  dn: string;
  entry: DirectoryEntry;
}

/** At most so many; `isWhole` where there are no more. */
export async function searchDirectory(
  config: DirectoryConfig,
  max: number,
): Promise<{ computers: Computer[]; isWhole: boolean }> {
  const { url, bindDn, passwordFile, baseDn, filter = '', ca, labelAttributes } = config;
  // Only who finds desktops by a directory loads it.
  const { Client } = await import('ldapts');
  const password = (await readFile(passwordFile, 'utf8')).replace(/\r?\n$/, '');
  const { hostname: host } = new URL(url);
  const tlsOptions: NonNullable<ClientOptions['tlsOptions']> = {
    ...{ host, minVersion: 'TLSv1.2', rejectUnauthorized: true },
    // An address is no name that may be said in TLS; certificates are compared with it all the same.
    ...(isIP(host) ? {} : { servername: host }),
    ...(ca === undefined ? {} : { ca }),
  };
  const isSecure = url.startsWith('ldaps:');
  const client = new Client({
    ...{ url, timeout: WITHIN_MS, connectTimeout: WITHIN_MS },
    // Given for `ldap:` as well, it would speak TLS from the first byte.
    ...(isSecure ? { tlsOptions } : {}),
  });
  const attributes = [...ATTRIBUTES, ...labelAttributes];
  const computers: Computer[] = [];
  let empty = 0;
  let pages = 0;
  /** There the client stops, whether the directory said that there is more or not. */
  let endsEmpty = false;
  try {
    if (!isSecure) await client.startTLS(tlsOptions);
    await client.bind(bindDn, password);
    const wanted = { scope: 'sub', filter: `(&(objectClass=computer)${filter})`, attributes } as const;
    for await (const { searchEntries, searchReferences } of client.searchPaginated(baseDn, {
      ...wanted,
      paged: { pageSize: PAGE },
    })) {
      pages += 1;
      endsEmpty = searchEntries.length === 0 && searchReferences.length === 0;
      empty = searchEntries.length === 0 ? empty + 1 : 0;
      if (empty > MAX_EMPTY_PAGES)
        throw new Error(`the directory has sent ${empty} pages with nothing in them, one after the other`);
      for (const { dn, ...values } of searchEntries) {
        if (computers.length >= max) return { computers, isWhole: false };
        computers.push({ dn, entry: firstValues(values, attributes) });
      }
    }
    // What is missing from it would otherwise be taken away from everybody.
    const isReallyEmpty = async () =>
      (await client.search(baseDn, { ...wanted, sizeLimit: 1 })).searchEntries.length === 0;
    if (endsEmpty && pages === 1 && !(await isReallyEmpty()))
      throw new Error('the directory has sent a page with nothing in it, though it holds computers');
    return { computers, isWhole: !endsEmpty || pages === 1 };
  } finally {
    await client.unbind().catch(() => {});
  }
}

/** Under the names that were asked for: directories answer with their own spelling. */
function firstValues(values: Readonly<Record<string, unknown>>, attributes: readonly string[]): DirectoryEntry {
  const asked = new Map(attributes.map((name) => [name.toLowerCase(), name]));
  return Object.fromEntries(
    Object.entries(values).flatMap(([spelt, given]) => {
      const name = asked.get(spelt.toLowerCase()) ?? spelt;
      const first: unknown = Array.isArray(given) ? given[0] : given;
      return typeof first === 'string' && first.length <= MAX_VALUE ? [[name, first]] : [];
    }),
  );
}
