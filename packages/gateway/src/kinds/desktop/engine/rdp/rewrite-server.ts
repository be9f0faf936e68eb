/** Messages of hosts that the client in the page does not read as they come, or that a recording keeps in another form. */
import { channelPdu, SEC } from './pdu.ts';

const FULL_BYTES = 12;

/** One host says it without its share and its name, which ends the client: gives the whole form. */
export function wholeDeactivateAll(pdu: Buffer, offset: number, channel: number, shareId: number): Buffer {
  if (pdu.length - offset >= FULL_BYTES) return pdu;
  const body = Buffer.alloc(FULL_BYTES + 1);
  pdu.copy(body, 0, offset, offset + 6);
  body.writeUInt16LE(body.length, 0);
  body.writeUInt32LE(shareId, 6);
  body.writeUInt16LE(1, 10);
  return channelPdu('host', HOST_USER, channel, body);
}

/** As whom hosts send. */
const HOST_USER = 1002;

/** An error message that is none: no licence is asked for. */
const VALID_CLIENT = Buffer.from([SEC.license, 0, 0, 0, 0xff, 3, 16, 0, 7, 0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0]);

/** What a recording keeps of a licence exchange: its keys could match in no player. */
export function validClient(channel: number): Buffer {
  return channelPdu('host', HOST_USER, channel, VALID_CLIENT);
}

/** Told apart from the share by its flags, before there is one. */
export function isLicensing(pdu: Buffer, offset: number): boolean {
  return pdu.length >= offset + 4 && (pdu.readUInt16LE(offset) & SEC.license) !== 0;
}
