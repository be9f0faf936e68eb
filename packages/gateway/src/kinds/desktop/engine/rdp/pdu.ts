/** Messages of RDP: where one ends, and what it is. */
import { malformed } from '../desktop-link.ts';

const TPKT = 0x03;
const TPKT_HEADER_BYTES = 4;
/** TPKT, the data header of X.224, the choice of MCS. */
const MIN_MCS_BYTES = 8;
const X224_DATA = 0xf0;
const X224_CONFIRM = 0xd0;
/** Choices of MCS, as they stand in the upper six bits. */
const MCS = {
  erectDomain: 1,
  disconnect: 8,
  attachRequest: 10,
  attachConfirm: 11,
  joinRequest: 14,
  joinConfirm: 15,
  dataRequest: 25,
  dataIndication: 26,
} as const;
const CONNECT_INITIAL = 0x7f65;
const CONNECT_RESPONSE = 0x7f66;

/** In the header of security, where there is one: before the first Demand Active. */
export const SEC = { info: 0x40, license: 0x80 } as const;
/** Of the share control header. */
export const SHARE = { demandActive: 1, confirmActive: 3, deactivateAll: 6, data: 7, redirection: 10 } as const;
/** Of the share data header. */
export const DATA = {
  update: 2,
  control: 20,
  synchronize: 31,
  suppressOutput: 35,
  saveSessionInfo: 38,
  fontList: 39,
  fontMap: 40,
  setErrorInfo: 47,
  frameAcknowledge: 56,
} as const;

export type PduKind =
  | { kind: 'fast' }
  | {
      kind:
        | 'x224_confirm'
        | 'connect_initial'
        | 'connect_response'
        | 'erect_domain'
        | 'attach_request'
        | 'attach_confirm'
        | 'join_request'
        | 'join_confirm'
        | 'disconnect'
        | 'other';
    }
  | {
      kind: 'data';
      channel: number;
      /** Where what the channel carries begins: it goes to the end. */
      offset: number;
    };

/** Of the one that begins here; undefined: that cannot be said yet. Says nothing of CredSSP, which is no PDU of RDP. */
export function pduLength(bytes: Buffer, at = 0): number | undefined {
  const left = bytes.length - at;
  if (left < 2) return undefined;
  const first = bytes[at]!;
  if (first === TPKT) {
    if (left < TPKT_HEADER_BYTES) return undefined;
    const length = bytes.readUInt16BE(at + 2);
    if (length < MIN_MCS_BYTES) throw malformed('a message says that it is shorter than its header');
    return length;
  }
  if ((first & 0x03) !== 0) throw malformed('a message begins with what is neither of the two forms of RDP');
  // Plain RDP security, which nobody asked for.
  if ((first & 0xc0) !== 0) throw malformed('a message is encrypted by the old security of RDP');
  const second = bytes[at + 1]!;
  if ((second & 0x80) !== 0 && left < 3) return undefined;
  const length = second & 0x80 ? ((second & 0x7f) << 8) | bytes[at + 2]! : second;
  if (length <= fastHeaderBytes(second)) throw malformed('a message says that it is shorter than its header');
  return length;
}

const fastHeaderBytes = (second: number): number => (second & 0x80 ? 3 : 2);

/** Where the updates or events of one in the short form begin. */
export function fastOffset(pdu: Buffer): number {
  return fastHeaderBytes(pdu[1]!);
}

/** Cuts a stream into whole messages. Holds one at most: none is longer than 64 KiB. */
export class PduSplitter {
  #rest: Buffer = Buffer.alloc(0);

  push(piece: Buffer): Buffer[] {
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, piece]) : piece;
    const whole: Buffer[] = [];
    let at = 0;
    for (;;) {
      const length = pduLength(bytes, at);
      if (length === undefined || length > bytes.length - at) break;
      whole.push(bytes.subarray(at, at + length));
      at += length;
    }
    // A copy: what is left of a large piece would keep all of it.
    this.#rest = at === bytes.length ? Buffer.alloc(0) : Buffer.from(bytes.subarray(at));
    return whole;
  }
}

/** Takes a whole one, as the splitter gives it. */
export function describe(pdu: Buffer): PduKind {
  if (pdu[0] !== TPKT) return { kind: 'fast' };
  if (pdu[5] === X224_CONFIRM) return { kind: 'x224_confirm' };
  if (pdu[4] !== 2 || pdu[5] !== X224_DATA) throw malformed('a message is none of X.224');
  if (pdu[7] === CONNECT_INITIAL >> 8) {
    const tag = pdu.length > MIN_MCS_BYTES ? pdu.readUInt16BE(7) : 0;
    if (tag === CONNECT_RESPONSE) return { kind: 'connect_response' };
    if (tag === CONNECT_INITIAL) return { kind: 'connect_initial' };
    throw malformed('a message is none of MCS');
  }
  const choice = pdu[7]! >> 2;
  if (choice === MCS.dataRequest || choice === MCS.dataIndication) return describeData(pdu);
  if (choice === MCS.erectDomain) return { kind: 'erect_domain' };
  if (choice === MCS.disconnect) return { kind: 'disconnect' };
  if (choice === MCS.attachRequest) return { kind: 'attach_request' };
  if (choice === MCS.attachConfirm) return { kind: 'attach_confirm' };
  if (choice === MCS.joinRequest) return { kind: 'join_request' };
  if (choice === MCS.joinConfirm) return { kind: 'join_confirm' };
  return { kind: 'other' };
}

function describeData(pdu: Buffer): PduKind {
  const first = pdu[13];
  const isLong = first !== undefined && (first & 0x80) !== 0;
  const offset = isLong ? 15 : 14;
  if (first === undefined || pdu.length < offset || (first & 0xc0) === 0xc0)
    throw malformed('a message of a channel has no length');
  const length = isLong ? pdu.readUInt16BE(13) & 0x3fff : first;
  if (length !== pdu.length - offset) throw malformed('a message of a channel is not as long as it says');
  return { kind: 'data', channel: pdu.readUInt16BE(10), offset };
}

export interface ShareHeader {
  /** One of SHARE. */
  type: number;
  /** One of DATA, where the first is that. */
  data: number | undefined;
  /** Where its own fields begin. */
  body: number;
}

const SHARE_CONTROL_BYTES = 6;
const SHARE_DATA_BYTES = 18;

/** Of what the I/O channel carries once licensing is over. Undefined: too short for one, as a keep-alive is. */
export function shareHeader(pdu: Buffer, offset: number): ShareHeader | undefined {
  // One host of ours says Deactivate All in these six bytes alone.
  if (pdu.length < offset + SHARE_CONTROL_BYTES) return undefined;
  const type = pdu.readUInt16LE(offset + 2) & 0x0f;
  if (type !== SHARE.data) return { type, data: undefined, body: offset + SHARE_CONTROL_BYTES };
  if (pdu.length < offset + SHARE_DATA_BYTES) throw malformed('a message of the picture is cut short');
  // Compression was not agreed upon: pages and players could not read it.
  if ((pdu[offset + 15]! & 0x20) !== 0) throw malformed('a message is compressed, which nobody asked for');
  return { type, data: pdu[offset + 14]!, body: offset + SHARE_DATA_BYTES };
}

/** A message of a channel: from the client, or as the host sends it. */
export function channelPdu(
  from: 'client' | 'host',
  user: number,
  channel: number,
  ...parts: readonly Buffer[]
): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const isLong = length > 0x7f;
  const head = Buffer.alloc(isLong ? 15 : 14);
  head[7] = (from === 'client' ? MCS.dataRequest : MCS.dataIndication) << 2;
  head.writeUInt16BE(user - USER_BASE, 8);
  head.writeUInt16BE(channel, 10);
  head[12] = 0x70;
  if (isLong) head.writeUInt16BE(0x8000 | length, 13);
  else head[13] = length;
  return sealed(head, parts);
}

/** Ids of users are told less this. */
export const USER_BASE = 1001;

/** Puts TPKT and X.224 before what stands behind the first seven bytes. */
export function sealed(head: Buffer, parts: readonly Buffer[] = []): Buffer {
  const pdu = Buffer.concat([head, ...parts]);
  pdu[0] = TPKT;
  pdu[1] = 0;
  pdu.writeUInt16BE(pdu.length, 2);
  pdu[4] = 2;
  pdu[5] = X224_DATA;
  pdu[6] = 0x80;
  return pdu;
}

/** A share data PDU of the client. */
export function clientShareData(user: number, channel: number, shareId: number, type: number, body: Buffer): Buffer {
  const head = Buffer.alloc(SHARE_DATA_BYTES);
  head.writeUInt16LE(SHARE_DATA_BYTES + body.length, 0);
  head.writeUInt16LE(0x10 | SHARE.data, 2);
  head.writeUInt16LE(user, 4);
  head.writeUInt32LE(shareId, 6);
  head[11] = 1;
  head.writeUInt16LE(4 + body.length, 12);
  head[14] = type;
  return channelPdu('client', user, channel, head, body);
}

export function joinRequest(user: number, channel: number): Buffer {
  const pdu = Buffer.alloc(12);
  pdu[7] = MCS.joinRequest << 2;
  pdu.writeUInt16BE(user - USER_BASE, 8);
  pdu.writeUInt16BE(channel, 10);
  return sealed(pdu);
}

export function joinConfirm(user: number, channel: number): Buffer {
  const pdu = Buffer.alloc(15);
  pdu[7] = (MCS.joinConfirm << 2) | 2;
  pdu.writeUInt16BE(user - USER_BASE, 9);
  pdu.writeUInt16BE(channel, 11);
  pdu.writeUInt16BE(channel, 13);
  return sealed(pdu);
}

/** Of a request or a confirmation of a channel. */
export function joinedChannel(pdu: Buffer, kind: 'join_request' | 'join_confirm'): number {
  const at = kind === 'join_request' ? 10 : 11;
  if (pdu.length < at + 2) throw malformed('a message about a channel is cut short');
  return pdu.readUInt16BE(at);
}

/** The id of the user that the host gave. */
export function attachedUser(pdu: Buffer): number {
  if (pdu.length < 11 || pdu[8] !== 0) throw malformed('the host lets nobody attach');
  const user = pdu.readUInt16BE(9) + USER_BASE;
  if (user > 0xffff) throw malformed('the host gives a number that no user can have');
  return user;
}
