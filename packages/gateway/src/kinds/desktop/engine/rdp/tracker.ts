/** Follows what a host says: its channels, its share, its size, whether it draws, and the headers of RemoteFX in force. */

import type { DesktopSize } from '../desktop-link.ts';
import { malformed } from '../desktop-link.ts';
import { FieldReader } from '../field-reader.ts';
import { readConnectResponse, readHostChannels } from './gcc.ts';
import { attachedUser, DATA, describe, fastOffset, type PduKind, SHARE, shareHeader } from './pdu.ts';
import { remoteFxHeaders } from './remotefx.ts';

const BITMAP_CAPABILITY = 2;
const MAX_CAPABILITIES = 128;
/** As display control has it. */
export const MAX_DESKTOP_PIXELS = 8192;
export const UPDATE = { bitmap: 1, surface: 4 } as const;
/** Of the updates in the short form. */
export const FRAGMENT = { single: 0, last: 1, first: 2, next: 3 } as const;

export class RdpTracker {
  ioChannel: number | undefined;
  user: number | undefined;
  /** Undefined: no Demand Active has come. */
  shareId: number | undefined;
  size: DesktopSize | undefined;
  /** From the font map on, until it is deactivated. */
  isActive = false;
  /** Blocks that come once for many pictures: who begins in the middle needs them. */
  headers: Buffer | undefined;
  /** In the middle of an update: who begins here could not read the rest of it. */
  isInFragment = false;

  /** Each whole message of the host, in its order. */
  see(pdu: Buffer, described: PduKind = describe(pdu)): void {
    if (described.kind === 'fast') this.#seeFast(pdu);
    else if (described.kind === 'connect_response') this.ioChannel = readHostChannels(readConnectResponse(pdu)).io;
    else if (described.kind === 'attach_confirm') this.user = attachedUser(pdu);
    else if (described.kind === 'data' && described.channel === this.ioChannel) this.#seeShare(pdu, described.offset);
  }

  /** Licensing and the like have another header, and come before the first Demand Active. */
  isShare(pdu: Buffer, offset: number): boolean {
    return this.shareId !== undefined || isDemandActive(pdu, offset);
  }

  #seeShare(pdu: Buffer, offset: number): void {
    if (!this.isShare(pdu, offset)) return;
    const header = shareHeader(pdu, offset);
    if (header?.type === SHARE.demandActive) {
      this.isActive = false;
      this.#readDemandActive(pdu, header.body);
    } else if (header?.type === SHARE.deactivateAll) this.isActive = false;
    else if (header?.data === DATA.fontMap) this.isActive = true;
  }

  #readDemandActive(pdu: Buffer, body: number): void {
    const reader = new FieldReader(pdu, 'the description of the desktop', body);
    this.shareId = reader.u32();
    const nameBytes = reader.u16();
    reader.skip(2 + nameBytes);
    const count = reader.u16();
    reader.skip(2);
    for (let left = Math.min(count, MAX_CAPABILITIES); left > 0 && reader.left >= 4; left -= 1) {
      const type = reader.u16();
      const length = reader.u16();
      if (length < 4) throw reader.wrong();
      const fields = new FieldReader(reader.take(length - 4), 'the description of the desktop');
      if (type === BITMAP_CAPABILITY) {
        fields.skip(8);
        this.size = sizeOf(fields.u16(), fields.u16());
      }
    }
  }

  #seeFast(pdu: Buffer): void {
    for (const update of fastUpdates(pdu)) {
      if (update.fragment === FRAGMENT.first) this.isInFragment = true;
      else if (update.fragment !== FRAGMENT.next) this.isInFragment = false;
      // They stand at the head of a surface's bits: a fragment that goes on has none.
      if (update.code === UPDATE.surface && update.fragment !== FRAGMENT.next && update.fragment !== FRAGMENT.last)
        this.headers = remoteFxHeaders(update.data) ?? this.headers;
    }
  }
}

function sizeOf(width: number, height: number): DesktopSize {
  if (width === 0 || height === 0 || width > MAX_DESKTOP_PIXELS || height > MAX_DESKTOP_PIXELS)
    throw malformed(`the host says that its desktop has ${width}×${height} pixels`);
  return { width, height };
}

/** A version stands beside its type, which headers of licensing do not have. */
export function isDemandActive(pdu: Buffer, offset: number): boolean {
  return pdu.length >= offset + 6 && pdu.readUInt16LE(offset + 2) === (0x10 | SHARE.demandActive);
}

export interface FastUpdate {
  code: number;
  fragment: number;
  data: Buffer;
}

const COMPRESSED = 2;

/** Of one message in the short form, which may hold several. */
export function fastUpdates(pdu: Buffer): FastUpdate[] {
  const reader = new FieldReader(pdu, 'an update of the picture', fastOffset(pdu));
  const updates: FastUpdate[] = [];
  while (reader.left > 0) {
    const head = reader.u8();
    if (head >> 6 === COMPRESSED) throw malformed('an update is compressed, which nobody asked for');
    updates.push({ code: head & 0x0f, fragment: (head >> 4) & 3, data: reader.take(reader.u16()) });
  }
  return updates;
}
