/**
 * Reads the head of a request that is as simple as most are: a GET or HEAD without a body, and nothing behind it. Whatever is
 * written in any other way is not refused here but left to Node's own reader, so that being strict costs nobody anything.
 */

export interface SimpleHead {
  method: 'GET' | 'HEAD';
  /** Begins with a slash; visible ASCII. */
  url: string;
  headers: HeaderBlock;
}

/** Clients repeat their headers to the letter: the same object stands for the same text on one connection. */
export interface HeaderBlock {
  /** As it came, with the empty line that ends it. */
  text: string;
  /** Names and values in turn. */
  raw: readonly string[];
}

const MAX_BYTES = 8 * 1024;
const MAX_HEADERS = 100;
const VERSION = ' HTTP/1.1';
const END = '\r\n\r\n';
const PLAIN_URL = /^\/[!-~]*$/;
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Spaces and tabs are the only white space in it, which `trim` then takes off. */
const VALUE = /^[\t\x20-\x7e]*$/;

/** They speak of a body, of another protocol, or of how the connection goes on. */
const NOT_SIMPLE: ReadonlySet<string> = new Set([
  'content-length',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** `known`: the headers of the request before. Undefined for all that is not one simple request from its first byte to its last. */
export function readSimpleHead(data: Buffer, known: HeaderBlock | undefined): SimpleHead | undefined {
  if (data.length > MAX_BYTES) return undefined;
  const text = data.toString('latin1');
  const method = text.startsWith('GET ') ? 'GET' : text.startsWith('HEAD ') ? 'HEAD' : undefined;
  if (!method) return undefined;
  const line = text.indexOf('\r\n');
  const version = line - VERSION.length;
  if (version <= method.length || !text.startsWith(VERSION, version)) return undefined;
  const url = text.slice(method.length + 1, version);
  if (!PLAIN_URL.test(url)) return undefined;
  const block = text.slice(line + 2);
  const headers = known?.text === block ? known : readBlock(block);
  return headers && { method, url, headers };
}

function readBlock(text: string): HeaderBlock | undefined {
  if (!text.endsWith(END)) return undefined;
  const lines = text.slice(0, -END.length).split('\r\n');
  if (lines.length > MAX_HEADERS) return undefined;
  const raw: string[] = [];
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon));
    const value = line.slice(colon + 1);
    // An empty line in the middle has no name either: what follows it would be another request.
    if (!NAME.test(name) || !VALUE.test(value)) return undefined;
    const given = value.trim();
    if (!isSimple(name.toLowerCase(), given)) return undefined;
    raw.push(name, given);
  }
  return { text, raw };
}

function isSimple(name: string, value: string): boolean {
  if (name === 'connection') return value.toLowerCase() === 'keep-alive';
  // Some servers read underscores as dashes.
  return !NOT_SIMPLE.has(name.replaceAll('_', '-'));
}
