/** The channel of sound, answered so that it stays silent: some hosts take no drives of a client that has none. */
import { FieldReader } from '../../field-reader.ts';
import type { ChannelMessage } from '../static-channel.ts';

const FORMATS = 0x07;
const TRAINING = 0x06;
const VERSION = 5;
/** What a host says in its list of formats, and to try the line. */
export const MAX_SOUND_BYTES = 64 * 1024;

/** What is answered. Undefined: nothing. */
export function answerSound({ length, bytes }: ChannelMessage): Buffer | undefined {
  if (length !== bytes.length) return undefined;
  const fields = new FieldReader(bytes, 'a message about sound');
  const type = fields.u8();
  if (type === FORMATS) return noFormats();
  if (type !== TRAINING) return undefined;
  const head = Buffer.of(TRAINING, 0, 4, 0);
  return Buffer.concat([head, fields.skip(3).take(4)]);
}

/** None that it could play. */
function noFormats(): Buffer {
  const body = Buffer.alloc(24);
  body[0] = FORMATS;
  body.writeUInt16LE(20, 2);
  body.writeUInt16LE(VERSION, 21);
  return body;
}
