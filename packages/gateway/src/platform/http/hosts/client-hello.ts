/** What a client names in the first message of TLS: the host, and the protocols it would speak. Decides which door it goes to, and nothing else. */

export interface ClientHello {
  /** In lower case; empty where it names none. */
  host: string;
  protocols: readonly string[];
}

const RECORD_HEAD = 5;
const SERVER_NAME = 0;
const ALPN = 16;

/** `more`: it is not whole yet. What cannot be read names nothing; whoever serves it then says what is wrong. */
export function readClientHello(bytes: Buffer): ClientHello | 'more' {
  if (bytes.length < RECORD_HEAD) return 'more';
  const end = RECORD_HEAD + bytes.readUInt16BE(3);
  if (bytes.length < end) return 'more';
  try {
    return namedIn(bytes.subarray(RECORD_HEAD, end));
  } catch {
    // A length that leads past its end.
    return { host: '', protocols: [] };
  }
}

function namedIn(hello: Buffer): ClientHello {
  // Type and length, version, random.
  let at = 4 + 2 + 32;
  at += 1 + hello.readUInt8(at);
  at += 2 + hello.readUInt16BE(at);
  at += 1 + hello.readUInt8(at);
  const last = Math.min(at + 2 + hello.readUInt16BE(at), hello.length);
  at += 2;
  let host = '';
  const protocols: string[] = [];
  while (at + 4 <= last) {
    const type = hello.readUInt16BE(at);
    const size = hello.readUInt16BE(at + 2);
    const part = hello.subarray(at + 4, at + 4 + size);
    at += 4 + size;
    if (type === SERVER_NAME) host = part.toString('latin1', 5, 5 + part.readUInt16BE(3)).toLowerCase();
    if (type === ALPN)
      for (let one = 2; one < part.length; one += 1 + part.readUInt8(one))
        protocols.push(part.toString('latin1', one + 1, one + 1 + part.readUInt8(one)));
  }
  return { host, protocols };
}
