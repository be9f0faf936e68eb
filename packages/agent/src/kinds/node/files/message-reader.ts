/** Reads the fields of one packet in order. A field that is cut short fails this request, not the connection. */

import { STATUS } from '@gatehouse/contract/kinds/node/files/sftp';
import { PacketFields } from '@gatehouse/tunnel/sftp/packet-fields';
import { SftpFailure } from './sftp-failure.ts';

const NUL = 0;

export class MessageReader extends PacketFields {
  constructor(packet: Buffer, from = 0) {
    super(packet, from);
  }

  protected override cutShort(): Error {
    return new SftpFailure(STATUS.badMessage, 'the message is cut short');
  }

  protected override tooLarge(): Error {
    return new SftpFailure(STATUS.badMessage, 'the offset is too large');
  }

  /** Bytes, as file systems have them: a name need not be text. */
  path(): Buffer {
    const path = this.bytes();
    // The system ends a name there: another file than the one that was named would be meant.
    if (path.includes(NUL)) throw new SftpFailure(STATUS.badMessage, 'the path holds a zero byte');
    return path.length === 0 ? Buffer.from('.') : path;
  }
}
