/** What client and host tell each other in the first exchange of MCS: blocks of settings, inside GCC, inside MCS. */
import { malformed } from '../desktop-link.ts';
import { FieldReader } from '../field-reader.ts';
import { expectTlv, readLength, tlv } from './der.ts';
import { sealed } from './pdu.ts';

/** The object identifier of T.124, as both sides begin. */
const T124 = Buffer.from([0x00, 0x05, 0x00, 0x14, 0x7c, 0x00, 0x01]);
const CREATE_REQUEST = Buffer.from([0x00, 0x08, 0x00, 0x10, 0x00, 0x01, 0xc0, 0x00]);
const CREATE_RESPONSE = Buffer.from([0x14, 0x76, 0x0a, 0x01, 0x01, 0x00, 0x01, 0xc0, 0x00]);
const CLIENT_KEY = Buffer.from('Duca', 'latin1');
const HOST_KEY = Buffer.from('McDn', 'latin1');
/** Of MCS: channels, users, tokens, priorities, throughput, height, size of a message, version. */
const TARGET = [34, 2, 0, 1, 0, 1, 0xffff, 2];
const MIN = [1, 1, 1, 1, 0, 1, 0x420, 2];
const MAX = [0xffff, 0xfc17, 0xffff, 1, 0, 1, 0xffff, 2];
const AGREED = [34, 3, 0, 1, 0, 1, 0xfff8, 2];
const MAX_BLOCKS = 32;

export const BLOCK = {
  clientCore: 0xc001,
  clientSecurity: 0xc002,
  clientNet: 0xc003,
  hostCore: 0x0c01,
  hostSecurity: 0x0c02,
  hostNet: 0x0c03,
} as const;

export interface GccBlock {
  type: number;
  body: Buffer;
}

export function gccBlock(type: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(4);
  head.writeUInt16LE(type, 0);
  head.writeUInt16LE(4 + body.length, 2);
  return Buffer.concat([head, body]);
}

export function connectInitial(blocks: readonly Buffer[]): Buffer {
  const data = Buffer.concat(blocks);
  const request = Buffer.concat([CREATE_REQUEST, CLIENT_KEY, perLength(data.length), data]);
  const user = Buffer.concat([T124, perLength(request.length), request]);
  const selector = tlv(0x04, Buffer.of(1));
  return behindX224(
    tlv(
      0x7f65,
      selector,
      selector,
      tlv(0x01, Buffer.of(0xff)),
      domain(TARGET),
      domain(MIN),
      domain(MAX),
      tlv(0x04, user),
    ),
  );
}

export function connectResponse(blocks: readonly Buffer[]): Buffer {
  const data = Buffer.concat(blocks);
  const response = Buffer.concat([CREATE_RESPONSE, HOST_KEY, perLength(data.length), data]);
  const user = Buffer.concat([T124, perLength(response.length), response]);
  return behindX224(tlv(0x7f66, tlv(0x0a, Buffer.of(0)), tlv(0x02, Buffer.of(0)), domain(AGREED), tlv(0x04, user)));
}

/** What the client says of itself, from a whole Connect Initial. */
export function readConnectInitial(pdu: Buffer): GccBlock[] {
  const reader = new FieldReader(pdu, 'the first message of MCS', 9);
  readLength(reader);
  for (const tag of [0x04, 0x04, 0x01, 0x30, 0x30, 0x30]) expectTlv(reader, tag, 'the first message of MCS');
  return readBlocks(expectTlv(reader, 0x04, 'the first message of MCS'), CLIENT_KEY);
}

export function readConnectResponse(pdu: Buffer): GccBlock[] {
  const what = "the host's answer of MCS";
  const reader = new FieldReader(pdu, what, 9);
  readLength(reader);
  const result = expectTlv(reader, 0x0a, what);
  if (result.length !== 1 || result[0] !== 0) throw malformed('the host refuses the first message of MCS');
  for (const tag of [0x02, 0x30]) expectTlv(reader, tag, what);
  return readBlocks(expectTlv(reader, 0x04, what), HOST_KEY);
}

function readBlocks(user: Buffer, key: Buffer): GccBlock[] {
  const found = user.indexOf(key);
  if (found < 0) throw malformed('the first messages of MCS hold no settings');
  const reader = new FieldReader(user, 'a setting of the first messages of MCS', found + key.length);
  const length = readPerLength(reader);
  const own = new FieldReader(reader.take(Math.min(length, reader.left)), 'a setting of the first messages of MCS');
  const blocks: GccBlock[] = [];
  while (own.left > 0) {
    if (blocks.length === MAX_BLOCKS) throw malformed('the first messages of MCS hold too many settings');
    const type = own.u16();
    const size = own.u16();
    if (size < 4) throw own.wrong();
    blocks.push({ type, body: own.take(size - 4) });
  }
  return blocks;
}

const MAX_CHANNELS = 31;
const CHANNEL_NAME_BYTES = 8;

/** The channels that the client wants, in its order. */
export function readChannelNames(blocks: readonly GccBlock[]): string[] {
  const net = blocks.find(({ type }) => type === BLOCK.clientNet);
  if (!net) return [];
  const reader = new FieldReader(net.body, 'the list of channels');
  const count = reader.u32();
  if (count > MAX_CHANNELS) throw malformed('there are more channels than RDP has');
  return Array.from({ length: count }, () => {
    const name = reader.take(CHANNEL_NAME_BYTES).toString('latin1').split('\0')[0]!;
    reader.skip(4);
    return name.toLowerCase();
  });
}

/** Begun, shown to the host's own protocol: as clients say for each of those we have. */
const CHANNEL_OPTIONS = 0x80800000;

export function channelNames(names: readonly string[]): Buffer {
  const list = Buffer.alloc(4 + names.length * (CHANNEL_NAME_BYTES + 4));
  list.writeUInt32LE(names.length, 0);
  for (const [at, name] of names.entries()) {
    const from = 4 + at * (CHANNEL_NAME_BYTES + 4);
    list.write(name, from, CHANNEL_NAME_BYTES - 1, 'latin1');
    list.writeUInt32LE(CHANNEL_OPTIONS, from + CHANNEL_NAME_BYTES);
  }
  return gccBlock(BLOCK.clientNet, list);
}

export interface HostChannels {
  io: number;
  /** In the order in which they were asked for. */
  ids: readonly number[];
}

export function readHostChannels(blocks: readonly GccBlock[]): HostChannels {
  const net = blocks.find(({ type }) => type === BLOCK.hostNet);
  if (!net) throw malformed('the host names no channels');
  const reader = new FieldReader(net.body, "the host's list of channels");
  const io = reader.u16();
  const count = reader.u16();
  if (count > MAX_CHANNELS) throw malformed('there are more channels than RDP has');
  return { io, ids: Array.from({ length: count }, () => reader.u16()) };
}

export function hostChannels({ io, ids }: HostChannels): Buffer {
  const list = Buffer.alloc(4 + 2 * (ids.length + (ids.length & 1)));
  list.writeUInt16LE(io, 0);
  list.writeUInt16LE(ids.length, 2);
  for (const [at, id] of ids.entries()) list.writeUInt16LE(id, 4 + 2 * at);
  return gccBlock(BLOCK.hostNet, list);
}

function readPerLength(reader: FieldReader): number {
  const first = reader.u8();
  return first & 0x80 ? ((first & 0x7f) << 8) | reader.u8() : first;
}

function perLength(length: number): Buffer {
  return length < 0x80 ? Buffer.of(length) : Buffer.of(0x80 | (length >> 8), length & 0xff);
}

function domain(parameters: readonly number[]): Buffer {
  return tlv(0x30, ...parameters.map(integer));
}

function integer(value: number): Buffer {
  if (value < 0x80) return tlv(0x02, Buffer.of(value));
  if (value < 0x8000) return tlv(0x02, Buffer.of(value >> 8, value & 0xff));
  return tlv(0x02, Buffer.of(0, value >> 8, value & 0xff));
}

function behindX224(mcs: Buffer): Buffer {
  return sealed(Buffer.alloc(7), [mcs]);
}
