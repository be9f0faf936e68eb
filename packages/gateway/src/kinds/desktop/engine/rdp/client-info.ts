/** Who signs in, as the host hears it inside TLS: written by the gateway, nothing of it is the page's. */
import type { DesktopTerms } from '../desktop-link.ts';
import { SEC } from './pdu.ts';

/** Mouse, signs in by itself, Unicode, the shell maximised, told when signed in, the Windows key. No compression: neither pages nor players read it. */
const FLAGS = 0x01 | 0x08 | 0x10 | 0x20 | 0x40 | 0x100;
/** Ctrl+Alt+Del is not asked for before. */
const NO_SECURE_ATTENTION = 0x02;
const IPV4 = 2;
const TIME_ZONE_BYTES = 172;
/** Without window contents while they are dragged and without menus that move, with smooth fonts. */
const PERFORMANCE = 0x02 | 0x04 | 0x80;

/** What the I/O channel carries of it, with its header of security. */
export function clientInfo({ user, domain, password }: Pick<DesktopTerms, 'user' | 'domain' | 'password'>): Buffer {
  const texts = [domain, user, password, '', ''].map((text) => Buffer.from(text, 'utf16le'));
  const head = Buffer.alloc(22);
  head.writeUInt16LE(SEC.info, 0);
  head.writeUInt32LE(FLAGS | NO_SECURE_ATTENTION, 8);
  for (const [at, text] of texts.entries()) head.writeUInt16LE(text.length, 12 + 2 * at);
  const end = Buffer.alloc(2);
  return Buffer.concat([head, ...texts.flatMap((text) => [text, end]), extended()]);
}

function extended(): Buffer {
  const address = sized('0.0.0.0');
  const folder = sized('C:\\Windows\\System32\\mstscax.dll');
  const head = Buffer.alloc(2);
  head.writeUInt16LE(IPV4, 0);
  const tail = Buffer.alloc(TIME_ZONE_BYTES + 10);
  tail.writeUInt32LE(PERFORMANCE, TIME_ZONE_BYTES + 4);
  return Buffer.concat([head, address, folder, tail]);
}

function sized(text: string): Buffer {
  const bytes = Buffer.from(`${text}\0`, 'utf16le');
  const head = Buffer.alloc(2);
  head.writeUInt16LE(bytes.length, 0);
  return Buffer.concat([head, bytes]);
}
