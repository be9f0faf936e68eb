/** The headers that are meant for one connection alone: by their name, or because its `Connection` header names them (RFC 9110, 7.6.1). */

const NAMES_NONE: ReadonlySet<string> = new Set(['', 'close', 'keep-alive', 'Keep-Alive', ',close', ',keep-alive']);

/** In lower case; undefined in the usual case. What the gateway says itself stays, whatever a peer names. */
export function namedByConnection(connection: string): ReadonlySet<string> | undefined {
  if (NAMES_NONE.has(connection)) return undefined;
  return new Set(connection.split(',').map((word) => word.trim().toLowerCase()));
}

const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  // They would speak for the host name the gateway gives, or send a browser past it.
  'alt-svc',
]);

/** Says where the answer ends, for the client too: without it an answer could be read as two. */
const KEPT: ReadonlySet<string> = new Set(['content-length']);

/** Of an answer, what is meant for whoever asked: names in lower case and values, in turn. */
export function endToEnd(headers: readonly string[]): string[] {
  const passed: string[] = [];
  const named = namedByConnection(connectionOf(headers));
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]!;
    if (HOP_BY_HOP.has(name) || (named?.has(name) && !KEPT.has(name))) continue;
    passed.push(name, headers[at + 1]!);
  }
  return passed;
}

function connectionOf(headers: readonly string[]): string {
  let connection = '';
  for (let at = 0; at < headers.length; at += 2)
    if (headers[at] === 'connection')
      connection = connection === '' ? headers[at + 1]! : `${connection},${headers[at + 1]}`;
  return connection;
}
