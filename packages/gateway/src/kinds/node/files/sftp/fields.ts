/** The fields of packets that servers send, and of files as they tell of them. */

import { ATTRIBUTE } from '@gatehouse/contract/kinds/node/files/sftp';
import { encodeField, type Field } from '@gatehouse/tunnel/sftp/encode-packet';
import { PacketFields } from '@gatehouse/tunnel/sftp/packet-fields';
import { PacketReader } from '@gatehouse/tunnel/sftp/packet-reader';
import { SftpBroken } from './sftp-error.ts';

export interface FileAttributes {
  size: number;
  uid: number;
  gid: number;
  /** With the type of the file. */
  mode: number;
  /** In seconds since 1970. */
  modified: number;
}

/** Only what is given is set. */
export function encodeAttributes(wanted: { size?: number; permissions?: number }): { raw: Uint8Array } {
  const { size, permissions } = wanted;
  const flags = (size === undefined ? 0 : ATTRIBUTE.size) | (permissions === undefined ? 0 : ATTRIBUTE.permissions);
  const fields: Field[] = [flags];
  if (size !== undefined) fields.push(BigInt(size));
  if (permissions !== undefined) fields.push(permissions);
  return { raw: Buffer.concat(fields.flatMap(encodeField)) };
}

export class FieldReader extends PacketFields {
  protected override cutShort(): Error {
    return new SftpBroken('a message of the server is cut short');
  }

  protected override tooLarge(): Error {
    return new SftpBroken('the server told of an impossible size');
  }

  attributes(): FileAttributes {
    const flags = this.uint32();
    const size = flags & ATTRIBUTE.size ? this.uint64() : 0;
    const [uid, gid] = flags & ATTRIBUTE.owner ? [this.uint32(), this.uint32()] : [0, 0];
    const mode = flags & ATTRIBUTE.permissions ? this.uint32() : 0;
    const [, modified] = flags & ATTRIBUTE.times ? [this.uint32(), this.uint32()] : [0, 0];
    if (flags & ATTRIBUTE.extended) {
      for (let left = this.uint32(); left > 0; left--) {
        this.bytes();
        this.bytes();
      }
    }
    return { size, uid, gid, mode, modified };
  }
}

/** Cuts what a server sends into packets. */
export function serverPackets(): PacketReader {
  return new PacketReader(
    (length) => new SftpBroken(`the server announced a message of ${length} bytes, which is no SFTP`),
  );
}
