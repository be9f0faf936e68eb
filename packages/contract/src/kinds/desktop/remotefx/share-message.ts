/** Messages of RDP in their long form, as far as they change what is on the screen of a client. */

const TPKT = 3;
const DATA_INDICATION = 26;
const DEMAND_ACTIVE = 1;
const DATA = 7;
const UPDATE = 2;

/** `begins`: the client forgets its picture and all that was agreed. `draws`: on it. Of a channel it may be taken for one by mistake, which costs time alone. */
export function shareMessage(pdu: Uint8Array): 'begins' | 'draws' | undefined {
  if (pdu.length < 20 || pdu[0] !== TPKT || (pdu[7] as number) >> 2 !== DATA_INDICATION) return undefined;
  const at = (pdu[13] as number) & 0x80 ? 15 : 14;
  const type = (pdu[at + 2] as number) & 15;
  if (type === DEMAND_ACTIVE) return 'begins';
  return type === DATA && pdu[at + 14] === UPDATE ? 'draws' : undefined;
}
