/** Hears what a client says first: every client of MongoDB says hello, and is answered by the server itself. */
import type { ByteSource } from '../byte-source.ts';
import { DbFailure } from '../db-failure.ts';
import { document, elementsOf, withoutElements } from './bson.ts';
import { isHello, TAKEN_OUT_OF_HELLO } from './judge-command.ts';
import { HEAD_BYTES, type MessageHead, msg, OP, readHead, readQuery, readSections, withBody } from './messages.ts';

const MAX_HELLO_BYTES = 64 * 1024;

export interface ClientHello {
  head: MessageHead;
  /** As it goes to the server. */
  message: Buffer;
}

/** What the gateway says where it is a client itself; every server knows this form of it. */
export function ownHello(): ClientHello {
  const message = msg(1, document({ isMaster: 1, $db: 'admin' }));
  return { head: readHead(message), message };
}

export async function greetClient(source: ByteSource, signal: AbortSignal): Promise<ClientHello> {
  const head = await takeHead(source, signal);
  if (head.op !== OP.msg && head.op !== OP.query) throw new DbFailure('malformed', 'no greeting of MongoDB');
  const rest = await source.take(head.length - HEAD_BYTES, signal);
  const message = Buffer.concat([headOf(head), rest]);
  const sections = head.op === OP.query ? readQuery(message) : readSections(message);
  const [first] = elementsOf(sections.body);
  if (!first || !isHello(first.name))
    throw new DbFailure('malformed', `'${first?.name ?? ''}' before hello, which every client says first`);
  return { head, message: withBody(message, sections, withoutElements(sections.body, TAKEN_OUT_OF_HELLO)) };
}

/** Nobody has signed in yet: what is longer is not waited for. */
export async function takeHead(source: ByteSource, signal: AbortSignal): Promise<MessageHead> {
  const head = readHead(await source.take(HEAD_BYTES, signal));
  if (head.length > MAX_HELLO_BYTES)
    throw new DbFailure('malformed', `a message of ${head.length} bytes before sign-in`);
  return head;
}

export function headOf({ length, id, answers, op }: MessageHead): Buffer {
  const bytes = Buffer.alloc(HEAD_BYTES);
  for (const [at, value] of [length, id, answers, op].entries()) bytes.writeInt32LE(value, at * 4);
  return bytes;
}
