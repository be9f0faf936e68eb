/** Compact JWS of one algorithm and one header each: what says anything else about itself is not read at all. */
import { type KeyObject, verify } from 'node:crypto';
import { publicKeyOf } from '../key/key-fingerprint.ts';

/** What a text is: one that was signed as the one is never taken for the other. */
export type JwsType = 'gatehouse-passport' | 'gatehouse-keys' | 'gatehouse-next-key';

const SIGNATURE_CHARACTERS = 86;
const BASE64URL = /^[A-Za-z0-9_-]+$/;

export async function signJws(
  type: JwsType,
  claims: object,
  signWith: (data: Buffer) => Promise<Buffer>,
): Promise<string> {
  const signed = `${HEADERS[type]}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
  return `${signed}.${(await signWith(Buffer.from(signed))).toString('base64url')}`;
}

/** The claims and the key they were signed by, or nothing where it was none of the keys. */
export function readJws(
  type: JwsType,
  text: string,
  keys: readonly string[],
  maxCharacters: number,
  publicKey: (key: string) => KeyObject = publicKeyOf,
): { claims: unknown; key: string } | undefined {
  if (text.length > maxCharacters) return undefined;
  const [header, payload = '', signature = '', ...more] = text.split('.', 4);
  if (more.length > 0 || header !== HEADERS[type] || signature.length !== SIGNATURE_CHARACTERS) return undefined;
  const [said, bytes] = [canonicalBytes(payload), canonicalBytes(signature)];
  if (!said || !bytes) return undefined;
  const signed = Buffer.from(`${header}.${payload}`);
  const key = keys.find((each) => verify(null, signed, publicKey(each), bytes));
  if (key === undefined) return undefined;
  try {
    return { claims: JSON.parse(said.toString('utf8')), key };
  } catch {
    return undefined;
  }
}

const HEADERS: Readonly<Record<JwsType, string>> = {
  'gatehouse-passport': headerOf('gatehouse-passport'),
  'gatehouse-keys': headerOf('gatehouse-keys'),
  'gatehouse-next-key': headerOf('gatehouse-next-key'),
};

function headerOf(typ: JwsType): string {
  return Buffer.from(JSON.stringify({ alg: 'EdDSA', typ })).toString('base64url');
}

/** Undefined for another writing of the same bytes: it would be a second text with one signature. */
function canonicalBytes(text: string): Buffer | undefined {
  if (!BASE64URL.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}
