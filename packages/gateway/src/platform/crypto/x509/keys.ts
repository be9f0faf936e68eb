/** P-256 keys of certificates as PEM text, and the library that writes certificates. */

export const KEY_KIND = { name: 'ECDSA', namedCurve: 'P-256' } as const;
export const SIGNING = { name: 'ECDSA', hash: 'SHA-256' } as const;

/** Key and certificate, both as PEM. */
export interface Pair {
  cert: string;
  key: string;
}

/** Loaded only when a certificate is made: a gateway that makes none starts without it. */
export async function loadX509() {
  await import('reflect-metadata');
  return await import('@peculiar/x509');
}

export async function newKeys() {
  return await crypto.subtle.generateKey(KEY_KIND, true, ['sign', 'verify']);
}

export async function exportKey({ privateKey }: Awaited<ReturnType<typeof newKeys>>): Promise<string> {
  const der = Buffer.from(await crypto.subtle.exportKey('pkcs8', privateKey)).toString('base64');
  return `-----BEGIN PRIVATE KEY-----\n${der.replaceAll(/(.{64})/g, '$1\n').trimEnd()}\n-----END PRIVATE KEY-----\n`;
}

export async function importKey(key: string) {
  const der = Buffer.from(key.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64');
  return await crypto.subtle.importKey('pkcs8', der, KEY_KIND, false, ['sign']);
}

export function pem(text: string): string {
  return `${text.trim()}\n`;
}
