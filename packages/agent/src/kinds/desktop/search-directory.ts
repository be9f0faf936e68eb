/** Asks a directory for its computers, page by page, and never without TLS. */
import { readFile } from 'node:fs/promises';
import type { ClientOptions } from 'ldapts';
import type { DirectoryConfig } from './directory-config.ts';
import { ATTRIBUTES, type DirectoryEntry } from './directory-desktops.ts';

const PAGE = 500;
const WITHIN_MS = 30_000;
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
    ...{ host, servername: host, minVersion: 'TLSv1.2', rejectUnauthorized: true },
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
  try {
    if (!isSecure) await client.startTLS(tlsOptions);
    await client.bind(bindDn, password);
    const wanted = { scope: 'sub', filter: `(&(objectClass=computer)${filter})`, attributes } as const;
    for await (const { searchEntries } of client.searchPaginated(baseDn, { ...wanted, paged: { pageSize: PAGE } })) {
      for (const { dn, ...values } of searchEntries) {
        if (computers.length >= max) return { computers, isWhole: false };
        computers.push({ dn, entry: firstValues(values) });
      }
    }
    return { computers, isWhole: true };
  } finally {
    await client.unbind().catch(() => {});
  }
}

function firstValues(values: Readonly<Record<string, unknown>>): DirectoryEntry {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, given]) => {
      const first: unknown = Array.isArray(given) ? given[0] : given;
      return typeof first === 'string' && first.length <= MAX_VALUE ? [[name, first]] : [];
    }),
  );
}
