/** Signs in to a MongoDB server with what the gateway holds, behind the greeting of the client: servers take its description of itself in the first one alone. */
import type { Duplex } from 'node:stream';
import { ByteSource } from '../byte-source.ts';
import { DbFailure } from '../db-failure.ts';
import { ScramClient } from '../scram.ts';
import type { ServerTerms } from '../server-terms.ts';
import { type BsonValue, binaryOf, document, numberOf, textOf } from './bson.ts';
import { type ClientHello, headOf, takeHead } from './greet-client.ts';
import { HEAD_BYTES, msg, OP, readSections } from './messages.ts';

/** Where users are, unless somebody made them elsewhere. */
const USERS_DATABASE = 'admin';
const CERTIFICATE_DATABASE = '$external';
/** In the old kind of answer, before its document. */
const REPLY_BYTES = 20;
const MAX_STEPS = 4;

export interface SignedIn {
  server: Duplex;
  /** The server's own answer to the client's greeting. */
  greeting: Buffer;
  /** Of the connection, as the server's log has it. */
  backend: number | undefined;
  /** What came after it was ready. */
  rest: Buffer;
}

/** TLS is there from the first byte. */
export async function signIn(
  bare: Duplex,
  terms: ServerTerms,
  hello: ClientHello,
  signal: AbortSignal,
): Promise<SignedIn> {
  const server = terms.secure ? await terms.secure(bare) : bare;
  const source = new ByteSource(server);
  let number = 0x6a00_0000;
  const ask = async (fields: Readonly<Record<string, BsonValue>>): Promise<Buffer> => {
    number += 1;
    server.write(msg(number, document(fields)));
    const { body, answers } = await takeAnswer(source, signal);
    if (answers !== number) throw new DbFailure('malformed', 'it answers another question than ours: is it MongoDB?');
    if (numberOf(body, 'ok') !== 1) throw refusedBy(body);
    return body;
  };
  server.write(hello.message);
  const greeting = await takeAnswer(source, signal);
  if (greeting.answers !== hello.head.id)
    throw new DbFailure('malformed', 'it does not answer a greeting: is it MongoDB?');
  const { credential, user } = terms;
  if (credential.method === 'certificate')
    await ask({ authenticate: 1, mechanism: 'MONGODB-X509', $db: CERTIFICATE_DATABASE });
  else await prove(ask, new ScramClient(credential.password, user));
  const backend = numberOf(greeting.body, 'connectionId');
  return { server, greeting: greeting.message, backend, rest: source.release() };
}

async function prove(
  ask: (fields: Readonly<Record<string, BsonValue>>) => Promise<Buffer>,
  scram: ScramClient,
): Promise<void> {
  const payload = (text: string) => Buffer.from(text);
  const said = (answer: Buffer) => binaryOf(answer, 'payload')?.toString() ?? '';
  const first = await ask({
    saslStart: 1,
    mechanism: 'SCRAM-SHA-256',
    payload: payload(scram.first()),
    $db: USERS_DATABASE,
  });
  const conversationId = numberOf(first, 'conversationId') ?? 1;
  const next = (text: string) => ask({ saslContinue: 1, conversationId, payload: payload(text), $db: USERS_DATABASE });
  let answer = await next(await scram.answer(said(first)));
  scram.check(said(answer));
  // Older servers end with an exchange of nothing.
  for (let step = 0; numberOf(answer, 'done') !== 1; step++) {
    if (step === MAX_STEPS) throw new DbFailure('unsafe', 'the database does not come to an end with SCRAM');
    answer = await next('');
  }
}

/** Of the server, as it says it. */
export async function askVersion(server: Duplex, signal: AbortSignal): Promise<string> {
  const source = new ByteSource(server);
  server.write(msg(1, document({ buildInfo: 1, $db: USERS_DATABASE })));
  const { body } = await takeAnswer(source, signal);
  source.release();
  return textOf(body, 'version') ?? '';
}

/** Which collections somebody may read: servers look at what a user may do only when something is asked of a database. */
export async function askCollections(server: Duplex, database: string, signal: AbortSignal): Promise<void> {
  const source = new ByteSource(server);
  const asked = { listCollections: 1, nameOnly: true, authorizedCollections: true, $db: database };
  server.write(msg(1, document(asked)));
  const { body } = await takeAnswer(source, signal);
  if (numberOf(body, 'ok') !== 1) throw refusedBy(body);
}

async function takeAnswer(source: ByteSource, signal: AbortSignal) {
  const head = await takeHead(source, signal);
  const rest = await source.take(head.length - HEAD_BYTES, signal);
  const message = Buffer.concat([headOf(head), rest]);
  if (head.op === OP.msg) return { message, body: readSections(message).body, answers: head.answers };
  if (head.op !== OP.reply) throw new DbFailure('malformed', 'no answer of MongoDB');
  return { message, body: message.subarray(HEAD_BYTES + REPLY_BYTES), answers: head.answers };
}

function refusedBy(answer: Buffer): DbFailure {
  const code = numberOf(answer, 'code');
  return new DbFailure('refused', textOf(answer, 'errmsg') ?? 'the database refused the sign-in', {
    ...(code === undefined ? {} : { code: String(code) }),
  });
}
