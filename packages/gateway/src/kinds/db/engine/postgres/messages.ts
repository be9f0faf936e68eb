/** PostgreSQL's messages, as bytes. */
import { DbFailure, malformed } from '../db-failure.ts';

export const SSL_REQUEST = 80_877_103;
export const GSS_REQUEST = 80_877_104;
export const CANCEL_REQUEST = 80_877_102;

/** Texts end with a zero; bytes stand as they are. */
export function message(type: string, ...parts: readonly (string | Buffer)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? zeroEnded(part) : part)));
  const head = Buffer.alloc(type.length + 4);
  head.write(type, 0, 'latin1');
  head.writeUInt32BE(body.length + 4, type.length);
  return Buffer.concat([head, body]);
}

export function numbers(...all: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * all.length);
  for (const [index, each] of all.entries()) bytes.writeUInt32BE(each, 4 * index);
  return bytes;
}

/** A zero inside would end a text early, and begin another field. */
function zeroEnded(text: string): Buffer {
  if (text.includes('\0')) throw malformed('a text for the database holds a zero byte');
  return Buffer.from(`${text}\0`);
}

/** As the server itself would say it: clients show its words. */
export function fatal(code: string, text: string): Buffer {
  const plain = text.replaceAll('\0', '');
  return message('E', 'SFATAL', 'VFATAL', `C${code}`, `M${plain}`, Buffer.of(0));
}

export function authenticationOk(): Buffer {
  return message('R', numbers(0));
}

/** `theirs` or ours: both sides have the same shape. */
export function cancelRequest(key: Buffer): Buffer {
  return message('', numbers(CANCEL_REQUEST), key);
}

export interface ServerError {
  code: string;
  message: string;
}

export function readServerError(body: Buffer): ServerError {
  const fields = new Map<string, string>();
  for (const text of body.toString('utf8').split('\0')) {
    if (text !== '') fields.set(text.slice(0, 1), text.slice(1));
  }
  return { code: fields.get('C') ?? '', message: fields.get('M') ?? 'an error without words' };
}

export function refusedBy({ code, message: words }: ServerError): DbFailure {
  return new DbFailure('refused', words, { code });
}
