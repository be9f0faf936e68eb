/** Reads the head of a target's answer. Strict: what two readers could understand differently is refused, never repaired. */
import { UpstreamFault } from './upstream-fault.ts';

export interface ResponseHead {
  status: number;
  reason: string;
  /** Names in lower case and values, in turn, in the order they came. */
  headers: string[];
  /** How its body ends; `close`: with the connection. */
  body: 'none' | 'length' | 'chunked' | 'close';
  length: number;
  /** Whether another request may follow on the connection. */
  keepAlive: boolean;
}

export const MAX_HEAD_BYTES = 64 * 1024;
const MAX_HEADERS = 256;
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: ([\t\x20-\x7e\x80-\xff]*))?$/;
const NO_CONTENT = 204;
const RESET_CONTENT = 205;
const LENGTH = /^\d{1,15}$/;

/** RFC 9110 token characters. */
const TOKEN = new Uint8Array(256);
for (const character of "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
  TOKEN[character.charCodeAt(0)] = 1;
}

export function isToken(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (TOKEN[text.charCodeAt(at)] !== 1) return false;
  return text.length > 0;
}

/** Header values carry anything but control characters. */
export function isFieldValue(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if ((code < 32 && code !== 9) || code === 127 || code > 255) return false;
  }
  return true;
}

/** `text` is the head in latin1, without the empty line that ends it. */
export function parseResponseHead(text: string, method: string): ResponseHead {
  const lines = text.split('\r\n');
  const status = STATUS_LINE.exec(lines[0] ?? '');
  if (!status)
    throw new UpstreamFault(
      /^HTTP\/1\.[01] \d/.test(text) ? 'it answers with a status that is none' : 'it does not answer in HTTP/1.1',
    );
  if (lines.length > MAX_HEADERS) throw new UpstreamFault('its answer has too many headers');
  const head: ResponseHead = {
    status: Number(status[2]),
    reason: status[3] ?? '',
    headers: [],
    body: 'close',
    length: 0,
    keepAlive: status[1] === '1',
  };
  let length: string | undefined;
  let coding: string | undefined;
  for (let index = 1; index < lines.length; index++) {
    const line = lines[index]!;
    const colon = line.indexOf(':');
    const name = line.slice(0, colon);
    // A line that goes on with the one before (obs-fold) begins with a space, which is no part of a name.
    if (colon < 1 || !isToken(name)) throw new UpstreamFault('its answer has a header that cannot be read');
    const value = line.slice(colon + 1).trim();
    if (!isFieldValue(value)) throw new UpstreamFault('its answer has a header with control characters');
    const lower = name.toLowerCase();
    if (lower === 'content-length') {
      if (!LENGTH.test(value) || (length !== undefined && length !== value)) {
        throw new UpstreamFault('its answer gives its length in two ways');
      }
      if (length !== undefined) continue;
      length = value;
    } else if (lower === 'transfer-encoding') {
      if (coding !== undefined || value.toLowerCase() !== 'chunked') {
        throw new UpstreamFault('its answer is encoded in a way nobody asked for');
      }
      coding = value;
    } else if (lower === 'connection') {
      head.keepAlive = keepsAlive(value, head.keepAlive);
    }
    head.headers.push(lower, value);
  }
  if (coding !== undefined && length !== undefined) throw new UpstreamFault('its answer gives its length in two ways');
  if (method === 'HEAD' || head.status < 200 || head.status === 204 || head.status === 304) head.body = 'none';
  else if (coding !== undefined) head.body = 'chunked';
  else if (length !== undefined) {
    head.length = Number(length);
    head.body = head.length === 0 ? 'none' : 'length';
  } else head.keepAlive = false;
  if (head.status === NO_CONTENT || head.status === RESET_CONTENT) dropBody(head);
  return head;
}

/** These have none: one that is announced all the same breaks HTTP/2, and one that follows is not read. */
function dropBody(head: ResponseHead): void {
  const at = head.headers.findIndex((name, index) => index % 2 === 0 && name === 'content-length');
  if (at >= 0) head.headers.splice(at, 2);
  // A reset is framed like any other answer: without a length a client would wait for the end of the connection.
  if (head.status === RESET_CONTENT) head.headers.push('content-length', '0');
  if (head.body !== 'none' || head.length > 0) head.keepAlive = false;
  head.body = 'none';
}

function keepsAlive(connection: string, usual: boolean): boolean {
  const words = connection.toLowerCase();
  if (/(^|,)\s*close\s*(,|$)/.test(words)) return false;
  return usual || /(^|,)\s*keep-alive\s*(,|$)/.test(words);
}
