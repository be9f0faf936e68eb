/** What a PostgreSQL client says first, up to what it wants. Nothing it says of itself is believed. */
import type { Duplex } from 'node:stream';
import type { ByteSource } from '../byte-source.ts';
import { DbFailure, malformed } from '../db-failure.ts';
import { CANCEL_REQUEST, GSS_REQUEST, SSL_REQUEST } from './messages.ts';
import { readStartup } from './read-message.ts';

/** A client asks for TLS, for GSS, and then comes to the point; more is no client. */
const MAX_REQUESTS = 4;
const NAMED_BY_GATEWAY = ['user', 'database'];

export type Greeting =
  | { wants: 'cancel'; key: Buffer }
  | {
      wants: 'session';
      version: number;
      /** As the client says it, which decides nothing by itself; empty where it says nothing. */
      user: string;
      database: string;
      /** All others. */
      parameters: ReadonlyMap<string, string>;
    };

/** `client` has its TLS already, or none is needed on its way here: a request for it is answered with no. */
export async function greetClient(client: Duplex, source: ByteSource, signal: AbortSignal): Promise<Greeting> {
  for (let count = 0; count < MAX_REQUESTS; count += 1) {
    const body = await readStartup(source, signal);
    const code = body.readUInt32BE(0);
    if (code === CANCEL_REQUEST) return { wants: 'cancel', key: body.subarray(4) };
    if (code === SSL_REQUEST || code === GSS_REQUEST) {
      // Somebody in between could have put them there, to be taken for what came inside TLS.
      if (source.size > 0) throw malformed('it says more before TLS than it may');
      client.write('N');
      continue;
    }
    if (code >>> 16 !== 3) throw new DbFailure('unsupported', `protocol ${code >>> 16} is not spoken here: 3 is`);
    return wantedSession(code, body.subarray(4));
  }
  throw malformed('it asks for TLS again and again');
}

function wantedSession(version: number, body: Buffer): Greeting {
  const parameters = readParameters(body);
  const { user = '', database = '', replication } = Object.fromEntries(parameters);
  // Copies the whole server, past everything that is looked at here. `false` is what some clients say always.
  if (replication !== undefined && !['false', 'off', 'no', '0'].includes(replication.toLowerCase()))
    throw new DbFailure('unsupported', 'replication does not pass here', { code: '0A000' });
  for (const name of [...NAMED_BY_GATEWAY, 'replication']) parameters.delete(name);
  return { wants: 'session', version, user, database, parameters };
}

/** Pairs of texts, up to an empty one that ends the message. */
function readParameters(body: Buffer): Map<string, string> {
  if (body.at(-1) !== 0) throw malformed('its parameters do not end');
  const texts = body.toString('utf8').split('\0');
  const parameters = new Map<string, string>();
  for (let at = 0; at + 1 < texts.length; at += 2) {
    const name = texts[at] as string;
    if (name === '') break;
    if (parameters.has(name)) throw malformed(`it says '${name}' twice`);
    parameters.set(name, texts[at + 1] as string);
  }
  return parameters;
}
