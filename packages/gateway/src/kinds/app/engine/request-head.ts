/** Writes the head of a request to an application: what the client sent, without what is not the client's to say. */
import { namedByConnection } from '../../../reach/http/hop-by-hop.ts';
import type { RequestFacts } from './read-request.ts';

/** Of the connection between client and gateway, or said by the gateway alone. */
const DROPPED: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'cookie',
  'expect',
  'forwarded',
  'gatehouse-jwt-assertion',
  'host',
  'http2-settings',
  'keep-alive',
  'remote-user',
  'te',
  'teleport-jwt-assertion',
  'trailer',
  'transfer-encoding',
  'true-client-ip',
  'upgrade',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-host',
  'x-original-host',
  'x-original-url',
  'x-real-ip',
  'x-remote-user',
  'x-rewrite-url',
]);
const DROPPED_PREFIXES = ['x-forwarded-', 'proxy-', 'x-gatehouse-', ':'];

/** By the name as it came; names repeat, and what an attacker invents is not kept for long. */
const isDroppedName = new Map<string, boolean>();
const MAX_NAMES = 1_000;

function isDropped(name: string): boolean {
  const known = isDroppedName.get(name);
  if (known !== undefined) return known;
  // Some servers read underscores as dashes: a header that only looks different is the same to them.
  const plain = plainName(name);
  const dropped = DROPPED.has(plain) || DROPPED_PREFIXES.some((prefix) => plain.startsWith(prefix));
  if (isDroppedName.size >= MAX_NAMES) isDroppedName.clear();
  isDroppedName.set(name, dropped);
  return dropped;
}

export function plainName(name: string): string {
  return name.toLowerCase().replaceAll('_', '-');
}

/** What is the same for every request of a session with an application. */
export interface RequestRules {
  /** The Host header of the application. */
  host: string;
  /** Header lines, each with its end: forwarded headers, identity and what rules say. */
  lines(): string;
  /** Names in lower case, dashes for underscores, that rules set: a client does not. */
  reserved: ReadonlySet<string>;
}

export interface RequestHeaders {
  /** Names and values in turn, as they came. */
  raw: readonly string[];
  facts: RequestFacts;
  /** What is left of the client's cookies. */
  cookie: string;
  body: 'none' | 'length' | 'chunked';
  /** The protocol a client wants to change to. */
  upgrade?: string;
}

export interface RequestLine extends RequestHeaders {
  method: string;
  url: string;
}

export function writeRequestHead(line: RequestLine, rules: RequestRules): string {
  return `${line.method} ${line.url} HTTP/1.1\r\n${writeRequestHeaders(line, rules)}`;
}

/** What follows the first line, with the empty line that ends it. The same for the same headers and rules. */
export function writeRequestHeaders(
  { raw, facts, cookie, body, upgrade }: RequestHeaders,
  { host, lines, reserved }: RequestRules,
): string {
  let head = `host: ${host}\r\n`;
  const named = namedByConnection(facts.connection);
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]!;
    if (isDropped(name)) continue;
    if (reserved.size > 0 && reserved.has(plainName(name))) continue;
    if (named?.has(name.toLowerCase())) continue;
    head += `${name}: ${raw[at + 1]}\r\n`;
  }
  if (cookie !== '') head += `cookie: ${cookie}\r\n`;
  head += lines();
  if (body === 'length') head += `content-length: ${facts.contentLength}\r\n`;
  else if (body === 'chunked') head += 'transfer-encoding: chunked\r\n';
  return upgrade === undefined ? `${head}\r\n` : `${head}connection: Upgrade\r\nupgrade: ${upgrade}\r\n\r\n`;
}
