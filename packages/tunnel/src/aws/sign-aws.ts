/** Signature Version 4 of AWS: in the address of a request that is only shown, or in the head of one that is sent. */
import { createHash, createHmac } from 'node:crypto';

export interface AwsKeys {
  accessKeyId: string;
  secretAccessKey: string;
  /** Only where they are good for a while. */
  sessionToken?: string | undefined;
}

export interface SignedFor {
  keys: AwsKeys;
  region: string;
  service: string;
  now: number;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';

export interface Presigned {
  /** With the port, as it is signed. */
  host: string;
  path?: string;
  query: Readonly<Record<string, string>>;
  seconds: number;
  /** What stands for the hash of a body; of none unless told. */
  body?: string;
}

/** `HOST/PATH?…` with the signature in it: good for whoever holds it, for so many seconds. */
export function presigned(wanted: Presigned, by: SignedFor): string {
  const { host, path = '/', seconds, body = sha256('') } = wanted;
  const date = dateOf(by.now);
  const { accessKeyId, sessionToken } = by.keys;
  const query = queryOf({
    ...wanted.query,
    'X-Amz-Algorithm': ALGORITHM,
    'X-Amz-Credential': `${accessKeyId}/${scopeOf(by)}`,
    'X-Amz-Date': date,
    'X-Amz-Expires': String(seconds),
    ...(sessionToken ? { 'X-Amz-Security-Token': sessionToken } : {}),
    'X-Amz-SignedHeaders': 'host',
  });
  const signature = signatureOf(['GET', path, query, `host:${host}\n`, 'host', body].join('\n'), by);
  return `${host}${path}?${query}&X-Amz-Signature=${signature}`;
}

/** The head of a request with a body; the host is that of its address. */
export function signedHeaders(
  { method, url, body, headers = {} }: SentRequest,
  by: SignedFor,
): Readonly<Record<string, string>> {
  const { sessionToken } = by.keys;
  const sent: Record<string, string> = {
    ...headers,
    'x-amz-date': dateOf(by.now),
    ...(sessionToken ? { 'x-amz-security-token': sessionToken } : {}),
  };
  const signed = Object.entries({ ...sent, host: url.host }).sort(byName);
  const names = signed.map(([name]) => name).join(';');
  const lines = signed.map(([name, value]) => `${name}:${value}\n`).join('');
  const query = queryOf(Object.fromEntries(url.searchParams));
  const signature = signatureOf([method, url.pathname, query, lines, names, sha256(body)].join('\n'), by);
  const credential = `${by.keys.accessKeyId}/${scopeOf(by)}`;
  return {
    ...sent,
    authorization: `${ALGORITHM} Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

export interface SentRequest {
  method: string;
  url: URL;
  body: string;
  /** In lower case. */
  headers?: Readonly<Record<string, string>>;
}

function signatureOf(canonical: string, by: SignedFor): string {
  const { secretAccessKey } = by.keys;
  const toSign = [ALGORITHM, dateOf(by.now), scopeOf(by), sha256(canonical)].join('\n');
  const key = scopeOf(by)
    .split('/')
    .reduce<Buffer>((secret, part) => hmac(secret, part), Buffer.from(`AWS4${secretAccessKey}`));
  return hmac(key, toSign).toString('hex');
}

function scopeOf({ region, service, now }: SignedFor): string {
  return [dateOf(now).slice(0, 8), region, service, 'aws4_request'].join('/');
}

/** `20150830T123600Z`. */
function dateOf(now: number): string {
  return new Date(now).toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
}

function queryOf(query: Readonly<Record<string, string>>): string {
  return Object.entries(query)
    .map(([name, value]) => [escaped(name), escaped(value)] as const)
    .sort(byName)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

/** By bytes: what is compared has been escaped, or is a name of a header. */
function byName([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : Number(a > b);
}

/** All but what an address may hold as it is. */
function escaped(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

function hmac(key: Buffer, data: string): Buffer {
  return createHmac('sha256', key).update(data).digest();
}

function sha256(data: string): string {
  return createHash('sha256').update(data).digest('hex');
}
