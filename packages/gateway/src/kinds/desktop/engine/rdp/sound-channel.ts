/** The channel of sound: agrees with the host on one plain form, hands on what it plays, and says that it was taken. A host that offers no plain form stays silent. */
import type { Sound } from '../desktop-link.ts';
import { FieldReader } from '../field-reader.ts';
import type { ChannelMessage } from './static-channel.ts';

const MESSAGE = { wave: 2, confirm: 5, training: 6, formats: 7 } as const;
/** Hosts play to later ones in messages that older hosts do not have. */
const VERSION = 5;
/** The client plays. */
const ALIVE = 1;
const PCM = 1;
const BITS = 16;
const FORMAT_BYTES = 18;
const MIN_RATE = 8_000;
const MAX_RATE = 48_000;
/** Of a message, before what it says itself. */
const HEAD_BYTES = 4;
/** What a wave tells before its sound, and the part of the sound that stands with it. */
const WAVE_HEAD_BYTES = 8;
const FIRST_BYTES = 4;
/** A length is 16 bits. */
export const MAX_SOUND_BYTES = 64 * 1024 + HEAD_BYTES;

interface Format {
  channels: number;
  rate: number;
  bytes: Buffer;
}

interface Wave {
  confirm: Buffer;
  first: Buffer;
  /** Comes as a message of its own. */
  restBytes: number;
}

export interface SoundSinks {
  send(message: Buffer): void;
  played(sound: Sound): void;
}

export class SoundChannel {
  readonly #sinks: SoundSinks;
  /** What was agreed upon: the host plays nothing else. */
  #format: Format | undefined;
  #wave: Wave | undefined;

  constructor(sinks: SoundSinks) {
    this.#sinks = sinks;
  }

  hear({ length, bytes }: ChannelMessage): void {
    const wave = this.#wave;
    this.#wave = undefined;
    if (length !== bytes.length) return;
    const fields = new FieldReader(bytes, 'a message about sound');
    if (wave) {
      fields.skip(HEAD_BYTES);
      this.#play(wave, fields.take(wave.restBytes));
      return;
    }
    const type = fields.u8();
    fields.skip(1);
    const size = fields.u16();
    if (type === MESSAGE.formats) this.#agree(fields);
    else if (type === MESSAGE.training) this.#sinks.send(message(MESSAGE.training, fields.take(4)));
    else if (type === MESSAGE.wave) this.#begin(fields, size);
  }

  #agree(fields: FieldReader): void {
    fields.skip(14);
    const count = fields.u16();
    fields.skip(4);
    const offered: Format[] = [];
    for (let at = 0; at < count; at += 1) {
      const format = readFormat(fields);
      if (format) offered.push(format);
    }
    // In stereo before mono, and as fine as it is to be had.
    this.#format = offered.toSorted((a, b) => b.channels - a.channels || b.rate - a.rate)[0];
    this.#sinks.send(ourFormats(this.#format));
  }

  #begin(fields: FieldReader, size: number): void {
    const stamp = fields.u16();
    fields.skip(2);
    const block = fields.u8();
    fields.skip(3);
    const confirm = Buffer.of(stamp & 0xff, stamp >> 8, block, 0);
    const restBytes = Math.max(0, size - WAVE_HEAD_BYTES - FIRST_BYTES);
    this.#wave = { confirm, first: fields.take(FIRST_BYTES), restBytes };
  }

  /** Taken, whether anybody listens or not: a host that hears nothing of what it has played would stop. */
  #play({ confirm, first }: Wave, rest: Buffer): void {
    this.#sinks.send(message(MESSAGE.confirm, confirm));
    if (!this.#format) return;
    const { channels, rate } = this.#format;
    const all = Buffer.concat([first, rest]);
    const samples = all.subarray(0, all.length - (all.length % (channels * 2)));
    if (samples.length > 0) this.#sinks.played({ channels, rate, samples });
  }
}

/** Undefined: one that takes more than to be played. */
function readFormat(fields: FieldReader): Format | undefined {
  const from = fields.at;
  const tag = fields.u16();
  const channels = fields.u16();
  const rate = fields.u32();
  fields.skip(6);
  const bits = fields.u16();
  fields.skip(fields.u16());
  const isPlain = tag === PCM && bits === BITS && (channels === 1 || channels === 2);
  if (!isPlain || rate < MIN_RATE || rate > MAX_RATE) return undefined;
  const bytes = Buffer.from(fields.bytes.subarray(from, from + FORMAT_BYTES));
  // Without what may stand behind it.
  bytes.writeUInt16LE(0, FORMAT_BYTES - 2);
  return { channels, rate, bytes };
}

function ourFormats(format: Format | undefined): Buffer {
  const head = Buffer.alloc(20);
  if (format) head.writeUInt32LE(ALIVE, 0);
  head.writeUInt16LE(format ? 1 : 0, 14);
  head.writeUInt16LE(VERSION, 17);
  return message(MESSAGE.formats, format ? Buffer.concat([head, format.bytes]) : head);
}

function message(type: number, body: Buffer): Buffer {
  return Buffer.concat([Buffer.of(type, 0, body.length & 0xff, body.length >> 8), body]);
}
