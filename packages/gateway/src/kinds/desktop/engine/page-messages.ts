/** What the client of a page says, as far as a session tells one thing from another. */
import { DATA, describe, shareHeader } from './rdp/pdu.ts';

/** Keys, buttons and moves, and nothing that a client says by itself. */
export function isInput(protocol: 'rdp' | 'vnc', message: Buffer): boolean {
  const [first = 0] = message;
  // Fast-path for RDP; a key or a pointer for RFB.
  return protocol === 'rdp' ? (first & 3) === 0 : first === 4 || first === 5;
}

/** The last that a client of RDP says before it draws: the handshake is over. */
export function isLastOfGreeting(pdu: Buffer): boolean {
  const kind = describe(pdu);
  if (kind.kind !== 'data') return false;
  const header = shareHeader(pdu, kind.offset);
  return header?.data === DATA.fontList;
}
