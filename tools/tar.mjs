/** Reads and writes tar archives in memory: the same bytes for the same files, on any machine, without a tar program. */

const BLOCK = 512;
const MODE = [100, 8];
const SIZE = [124, 12];
const CHECKSUM = [148, 8];

/** Regular files of an archive, with their mode. Long names of pax headers are followed; links are left out. */
export function* readTar(archive) {
  let longName;
  for (let at = 0; at + BLOCK <= archive.length; ) {
    const header = archive.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) return;
    const size = octal(header, SIZE);
    const body = archive.subarray(at + BLOCK, at + BLOCK + size);
    const type = String.fromCharCode(header[156] || 0x30);
    if (type === 'x') longName = /\d+ path=([^\n]+)\n/.exec(body.toString())?.[1];
    else {
      if (type === '0') yield { path: longName ?? nameIn(header), mode: octal(header, MODE), data: body };
      longName = undefined;
    }
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
}

/** One file as it lies in an archive: owned by root, without a time. */
export function tarFile({ path, mode, data }) {
  const header = Buffer.alloc(BLOCK);
  if (Buffer.byteLength(path) > 100) throw new Error(`'${path}' is too long a name for the archive`);
  header.write(path, 0);
  writeOctal(header, MODE, mode);
  writeOctal(header, [108, 8], 0);
  writeOctal(header, [116, 8], 0);
  writeOctal(header, SIZE, data.length);
  writeOctal(header, [136, 12], 0);
  header.write('0', 156);
  header.write('ustar\u000000', 257);
  header.write('root', 265);
  header.write('root', 297);
  header.fill(' ', CHECKSUM[0], CHECKSUM[0] + CHECKSUM[1]);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\u0000 `, CHECKSUM[0]);
  return Buffer.concat([header, data, Buffer.alloc((BLOCK - (data.length % BLOCK)) % BLOCK)]);
}

/** What ends an archive. */
export const TAR_END = Buffer.alloc(2 * BLOCK);

function nameIn(header) {
  const name = text(header, 0, 100);
  const prefix = text(header, 345, 155);
  return prefix ? `${prefix}/${name}` : name;
}

function text(header, start, length) {
  return header
    .subarray(start, start + length)
    .toString()
    .split('\u0000')[0];
}

function octal(header, [start, length]) {
  return Number.parseInt(text(header, start, length).trim() || '0', 8);
}

function writeOctal(header, [start, length], value) {
  header.write(`${value.toString(8).padStart(length - 1, '0')}\u0000`, start);
}
