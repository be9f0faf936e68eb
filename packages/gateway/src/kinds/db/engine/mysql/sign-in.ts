/** Signs in to a MySQL or MariaDB server that was met, with what the gateway holds, and so that it speaks as the client does. */
import type { Duplex } from 'node:stream';
import { ByteSource } from '../byte-source.ts';
import { DbFailure, malformed } from '../db-failure.ts';
import { type ServerTerms, withIssued } from '../server-terms.ts';
import { CAN, type Capabilities, has } from './capabilities.ts';
import type { ClientHello } from './greet-client.ts';
import type { MetServer } from './greeting.ts';
import { methodNamed, proofFor, wholePassword } from './methods.ts';
import { measured, packet, readDone, readServerError, refusedBy, STATUS } from './packets.ts';
import { readPacket } from './read-packet.ts';

/** A user may have several methods, each asked about in turn; more is no server that means to let anybody in. */
const MAX_TURNS = 8;
const CACHING = 'caching_sha2_password';
/** What `caching_sha2_password` says between: it knows the password already, or wants the whole of it. */
const MORE = { known: 3, whole: 4 } as const;
const BY_CERTIFICATE =
  "let the user be made with: CREATE USER … REQUIRE SUBJECT '/O=…/CN=…', and the address this comes from";

export type ClientDialect = Pick<ClientHello, 'capabilities' | 'charset' | 'maxPacket' | 'attributes'>;

/** MariaDB puts a version of MySQL before its own, for replicas that would stumble over a 10. */
const OLDER_FIRST = /^5\.5\.5-(?=\d)/;

export interface SignedIn {
  server: Duplex;
  /** What the server says when somebody is in, for the client to hear. */
  welcome: Buffer;
  /** As the server's own list of processes has it; with it, what runs is cancelled. */
  thread: number;
  version: string;
  capabilities: Capabilities;
  /** Whether `\` begins an escape in texts between quotes. */
  backslashes: boolean;
  /** What came after it. */
  rest: Buffer;
}

export async function signIn(
  { bare, source: met, greeting }: MetServer,
  held: ServerTerms,
  hello: ClientDialect,
  signal: AbortSignal,
): Promise<SignedIn> {
  const capabilities = wantedOf(greeting.capabilities, hello.capabilities, held);
  const head = headOf(capabilities, hello);
  const server = held.secure ? await secured(bare, met, greeting.capabilities, head, held.secure) : bare;
  return await withIssued(held, async (terms) => {
    const source = terms.secure ? new ByteSource(server) : met;
    const first = methodNamed(greeting.method) ?? 'mysql_native_password';
    // What shows the password is said only to whoever asks for it after TLS: anybody in between could have named the method.
    const offered = first === 'mysql_native_password' || first === CACHING ? first : 'mysql_native_password';
    const proof = proofFor(offered, greeting.nonce, terms);
    const sequence = terms.secure ? 2 : 1;
    server.write(
      packet(
        sequence,
        head,
        terms.user,
        Buffer.of(proof.length),
        proof,
        ...(has(capabilities.basic, CAN.connectWithDb) ? [terms.database] : []),
        ...(has(capabilities.basic, CAN.pluginAuth) ? [offered] : []),
        ...(has(capabilities.basic, CAN.connectAttributes) ? [measured(hello.attributes)] : []),
      ),
    );
    const welcome = await prove(server, source, { method: offered, nonce: greeting.nonce, sequence }, terms, signal);
    const { status } = readDone(welcome, has(capabilities.basic, CAN.sessionTrack));
    return {
      server,
      welcome,
      thread: greeting.thread,
      version: greeting.version.replace(OLDER_FIRST, ''),
      capabilities,
      backslashes: (status & STATUS.noBackslashEscapes) === 0,
      rest: source.release(),
    };
  });
}

/** As the client speaks, since its bytes pass as they are; how the sign-in itself looks is ours. */
function wantedOf(theirs: Capabilities, client: Capabilities, terms: ServerTerms): Capabilities {
  const always = CAN.protocol41 | CAN.secureConnection | (theirs.basic & CAN.pluginAuth);
  const never = CAN.connectWithDb | CAN.ssl | CAN.longAuthData;
  const own = (terms.database === '' ? 0 : CAN.connectWithDb) | (terms.secure ? CAN.ssl : 0);
  return {
    basic: ((client.basic & theirs.basic & ~never) | always | own) >>> 0,
    extended: client.extended & theirs.extended,
  };
}

function headOf({ basic, extended }: Capabilities, { charset, maxPacket }: ClientDialect): Buffer {
  const head = Buffer.alloc(32);
  head.writeUInt32LE(basic, 0);
  head.writeUInt32LE(maxPacket, 4);
  head[8] = charset;
  // The server would read it as MariaDB's own otherwise.
  if (!has(basic, CAN.longPassword)) head.writeUInt32LE(extended, 28);
  return head;
}

/** Nothing may stand behind the greeting: it would be taken for what came inside TLS. */
async function secured(
  bare: Duplex,
  source: ByteSource,
  { basic }: Capabilities,
  head: Buffer,
  secure: (stream: Duplex) => Promise<Duplex>,
): Promise<Duplex> {
  if (!has(basic, CAN.ssl))
    throw new DbFailure('unsafe', 'the database does not speak TLS', {
      next: "set 'ssl-cert' and 'ssl-key' there, or switch TLS off for this database if nobody else is in between",
    });
  if (source.release().length > 0) throw malformed('it says more before TLS than it may');
  bare.write(packet(1, head));
  return await secure(bare);
}

interface Turn {
  method: string;
  nonce: Buffer;
  sequence: number;
}

async function prove(
  server: Duplex,
  source: ByteSource,
  first: Turn,
  terms: ServerTerms,
  signal: AbortSignal,
): Promise<Buffer> {
  let { method, sequence } = first;
  for (let count = 0; count < MAX_TURNS; count += 1) {
    const { body } = await readPacket(source, sequence + 1, signal);
    sequence += 1;
    if (body[0] === 0) return body;
    if (body[0] === 0xff)
      throw refusedBy(readServerError(body), terms.credential.method === 'certificate' ? BY_CERTIFICATE : undefined);
    const answer = body[0] === 0xfe ? switched(body) : undefined;
    if (answer) {
      method = answer.method;
      server.write(packet(++sequence, proofFor(method, answer.data, terms)));
    } else if (body[0] === 1 && method === CACHING && body.length === 2) {
      if (body[1] === MORE.whole) server.write(packet(++sequence, wholePassword(terms)));
      else if (body[1] !== MORE.known) throw malformed(`it answers with ${body[1]} while it is signed in to`);
    } else throw malformed(`it answers with ${body[0]} while it is signed in to`);
  }
  throw malformed('it never comes to an end while it is signed in to');
}

/** The method that this user has, where it is not the one that was tried. */
function switched(body: Buffer): { method: string; data: Buffer } {
  const end = body.indexOf(0, 1);
  // One byte alone: what servers of the last century had.
  if (end < 0)
    return { method: body.length === 1 ? 'mysql_old_password' : body.toString('latin1', 1), data: Buffer.alloc(0) };
  return { method: body.toString('latin1', 1, end), data: body.subarray(end + 1) };
}
