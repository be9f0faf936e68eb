/** The parts of a tar archive (POSIX pax), as bytes. Names are bytes too: they need not be text. */

const BLOCK = 512;
const NAME_BYTES = 100;
/** Eleven octal digits; what is larger goes into a pax record. */
const MAX_OCTAL = 0o77777777777;

export type TarType = 'file' | 'folder' | 'link';
const TYPE_FLAG: Record<TarType, string> = { file: '0', link: '2', folder: '5' };

export interface TarEntry {
  type: TarType;
  name: Buffer;
  mode: number;
  size: number;
  /** In seconds since 1970. */
  modified: number;
  /** What a link says. */
  link?: Buffer;
}

export function tarHeader({ type, name, mode, size, modified, link = Buffer.alloc(0) }: TarEntry): Buffer {
  const records = [
    ...(name.length > NAME_BYTES || !isPlain(name) ? [paxRecord('path', name)] : []),
    ...(link.length > NAME_BYTES || !isPlain(link) ? [paxRecord('linkpath', link)] : []),
    ...(size > MAX_OCTAL ? [paxRecord('size', Buffer.from(String(size)))] : []),
  ];
  const own = block({ flag: TYPE_FLAG[type], name, mode, size: Math.min(size, MAX_OCTAL), modified, link });
  if (records.length === 0) return own;
  const body = Buffer.concat(records);
  const pax = block({
    flag: 'x',
    name: Buffer.from('PaxHeader'),
    mode: 0o644,
    size: body.length,
    modified,
    link: Buffer.alloc(0),
  });
  return Buffer.concat([pax, body, tarPadding(body.length), own]);
}

/** Fills the last block of a file. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}

export function tarEnd(): Buffer {
  return Buffer.alloc(2 * BLOCK);
}

function isPlain(name: Buffer): boolean {
  return name.every((byte) => byte < 0x80);
}

/** Its length counts itself. */
function paxRecord(key: string, value: Buffer): Buffer {
  const rest = Buffer.concat([Buffer.from(` ${key}=`), value, Buffer.from('\n')]);
  let length = rest.length;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}

interface BlockFields {
  flag: string;
  name: Buffer;
  mode: number;
  size: number;
  modified: number;
  link: Buffer;
}

function block({ flag, name, mode, size, modified, link }: BlockFields): Buffer {
  const bytes = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, digits: number) =>
    bytes.write(`${value.toString(8).padStart(digits, '0')}\0`, at, 'latin1');
  name.copy(bytes, 0, 0, NAME_BYTES);
  octal(mode & 0o7777, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(size, 124, 11);
  octal(Math.max(0, Math.floor(modified)), 136, 11);
  bytes.write('        ', 148, 'latin1');
  bytes.write(flag, 156, 'latin1');
  link.copy(bytes, 157, 0, NAME_BYTES);
  bytes.write('ustar\x0000', 257, 'latin1');
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return bytes;
}
