/** Messages of MongoDB's wire protocol: their heads, and those that the gateway writes itself. */
import { malformed } from '../db-failure.ts';
import { document, MIN_DOCUMENT_BYTES } from './bson.ts';

export const OP = { reply: 1, query: 2004, compressed: 2012, msg: 2013 } as const;
export const HEAD_BYTES = 16;
/** What servers take at most. */
export const MAX_MESSAGE_BYTES = 48_000_000 + 16 * 1024;
export const FLAGS = { checksum: 1, moreToCome: 2 };
/** Behind the head of an old question: flags, and a name. */
const QUERY_FLAG_BYTES = 4;
const QUERY_COUNT_BYTES = 8;
const SECONDARY_OK = 4;

export interface MessageHead {
  length: number;
  id: number;
  answers: number;
  op: number;
}

export function readHead(bytes: Buffer): MessageHead {
  const head = {
    length: bytes.readInt32LE(0),
    id: bytes.readInt32LE(4),
    answers: bytes.readInt32LE(8),
    op: bytes.readInt32LE(12),
  };
  if (head.length < HEAD_BYTES + MIN_DOCUMENT_BYTES || head.length > MAX_MESSAGE_BYTES)
    throw malformed(`a message of ${head.length} bytes`);
  return head;
}

export interface Sections {
  /** The command or answer itself. */
  body: Buffer;
  /** Where the body stands in the message. */
  at: number;
  /** Documents beside it, by the name of the list that they are. */
  lists: { name: string; documents: Buffer }[];
  /** Nobody answers it. */
  moreToCome: boolean;
}

/** Of a message that is there whole. Throws where it holds anything that two readers could understand in two ways. */
export function readSections(message: Buffer): Sections {
  const flags = message.readUInt32LE(HEAD_BYTES);
  const end = message.length - (flags & FLAGS.checksum ? 4 : 0);
  const sections: Sections = {
    ...{ body: Buffer.alloc(0), at: 0, lists: [] },
    moreToCome: (flags & FLAGS.moreToCome) !== 0,
  };
  for (let at = HEAD_BYTES + 4; at < end; ) {
    const kind = message[at];
    const from = at + 1;
    const size = from + 4 <= end ? message.readInt32LE(from) : 0;
    if ((kind !== 0 && kind !== 1) || size < MIN_DOCUMENT_BYTES || from + size > end)
      throw malformed('a message with a section that it cannot have');
    const bytes = message.subarray(from, from + size);
    if (kind === 1) sections.lists.push(readList(bytes));
    else if (sections.at > 0) throw malformed('a message with two commands');
    else Object.assign(sections, { body: bytes, at: from });
    at = from + size;
  }
  if (sections.at === 0) throw malformed('a message without a command');
  return sections;
}

function readList(section: Buffer): { name: string; documents: Buffer } {
  const stop = section.indexOf(0, 4);
  if (stop < 0) throw malformed('a list of documents without a name');
  const name = section.toString('utf8', 4, stop);
  if (name.startsWith('$')) throw malformed(`a list of documents that is called '${name}'`);
  return { name, documents: section.subarray(stop + 1) };
}

/** The document of an old question, which is how clients still say hello, and where it stands. */
export function readQuery(message: Buffer): { body: Buffer; at: number } {
  const name = HEAD_BYTES + QUERY_FLAG_BYTES;
  const stop = message.indexOf(0, name);
  const at = stop + 1 + QUERY_COUNT_BYTES;
  const size = stop > 0 && at + 4 <= message.length ? message.readInt32LE(at) : 0;
  if (size < MIN_DOCUMENT_BYTES || at + size > message.length) throw malformed('a question that is none');
  const collection = message.toString('utf8', name, stop);
  // To anything else an old server would give documents, whatever the first field is called.
  if (!/^[^.]+\.\$cmd$/.test(collection)) throw malformed(`a question of the old kind to '${collection}'`);
  if ((message.readUInt32LE(HEAD_BYTES) & ~SECONDARY_OK) !== 0)
    throw malformed('a question of the old kind with flags');
  return { body: message.subarray(at, at + size), at };
}

/** With another document in place of the one that stands there. A checksum would be wrong then: the message goes without. */
export function withBody(message: Buffer, { at, body }: { at: number; body: Buffer }, changed: Buffer): Buffer {
  const isMsg = message.readInt32LE(12) === OP.msg;
  const flags = isMsg ? message.readUInt32LE(HEAD_BYTES) : 0;
  const end = isMsg && flags & FLAGS.checksum ? message.length - 4 : message.length;
  const whole = Buffer.concat([message.subarray(0, at), changed, message.subarray(at + body.length, end)]);
  whole.writeInt32LE(whole.length);
  if (isMsg) whole.writeUInt32LE((flags & ~FLAGS.checksum) >>> 0, HEAD_BYTES);
  return whole;
}

export function msg(id: number, body: Buffer, answers = 0): Buffer {
  return withHead({ id, answers, op: OP.msg }, Buffer.alloc(5), body);
}

/** As the question came, so it is answered. */
export function refusal(asked: MessageHead, { code, codeName, errmsg }: Refusal): Buffer {
  const body = document({ ok: 0, errmsg, code, codeName });
  if (asked.op !== OP.query) return msg(0, body, asked.id);
  const head = Buffer.alloc(20);
  head.writeInt32LE(1, 16);
  return withHead({ id: 0, answers: asked.id, op: OP.reply }, head, body);
}

export interface Refusal {
  code: number;
  codeName: string;
  errmsg: string;
}

function withHead({ id, answers, op }: Omit<MessageHead, 'length'>, ...parts: Buffer[]): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  const whole = Buffer.concat([head, ...parts]);
  whole.writeInt32LE(whole.length, 0);
  whole.writeInt32LE(id, 4);
  whole.writeInt32LE(answers, 8);
  whole.writeInt32LE(op, 12);
  return whole;
}
