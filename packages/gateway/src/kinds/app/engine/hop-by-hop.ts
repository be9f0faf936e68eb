/** The headers that are meant for one connection alone because its `Connection` header names them (RFC 9110, 7.6.1). */

const NAMES_NONE: ReadonlySet<string> = new Set(['', 'close', 'keep-alive', 'Keep-Alive', ',close', ',keep-alive']);

/** In lower case; undefined in the usual case. What the gateway says itself stays, whatever a peer names. */
export function namedByConnection(connection: string): ReadonlySet<string> | undefined {
  if (NAMES_NONE.has(connection)) return undefined;
  return new Set(connection.split(',').map((word) => word.trim().toLowerCase()));
}
