/** Header blocks of SPDY/3.1 as the small cluster reads and writes them: one zlib context a direction for the life of a connection. */
import { constants, createInflate, type Inflate } from 'node:zlib';

const NAMES =
  'options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age allow authorization cache-control connection content-base content-encoding content-language content-length content-location content-md5 content-range content-type date etag expect expires from host if-match if-modified-since if-none-match if-range if-unmodified-since last-modified location max-forwards pragma proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade user-agent vary via warning www-authenticate method get status';
const MORE_NAMES = ['200 OK', 'version', 'HTTP/1.1', 'url', 'public', 'set-cookie', 'keep-alive', 'origin'];
const REST =
  '100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden404 Not Found500 Internal Server Error501 Not Implemented503 Service UnavailableJan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,text/javascript,publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.';
const DICTIONARY = Buffer.concat([...[...NAMES.split(' '), ...MORE_NAMES].map(counted), Buffer.from(REST)]);

const MAX_BLOCK_BYTES = 16 * 1024;

export type SpdyHeaders = Readonly<Record<string, string>>;

function counted(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([u32(bytes.length), bytes]);
}

export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
}

export class HeaderReader {
  #inflate: Inflate = createInflate({
    dictionary: DICTIONARY,
    flush: constants.Z_SYNC_FLUSH,
    finishFlush: constants.Z_SYNC_FLUSH,
  });

  async read(block: Buffer): Promise<SpdyHeaders> {
    await new Promise<void>((resolve, reject) => {
      this.#inflate.once('error', reject);
      this.#inflate.write(block, () => {
        this.#inflate.off('error', reject);
        resolve();
      });
    });
    const raw = (this.#inflate.read() as Buffer | null) ?? Buffer.alloc(0);
    if (raw.length > MAX_BLOCK_BYTES) throw new Error('header block too large');
    const headers: Record<string, string> = {};
    let at = 4;
    const next = () => {
      const length = raw.readUInt32BE(at);
      at += 4 + length;
      return raw.toString('latin1', at - length, at);
    };
    for (let left = raw.readUInt32BE(0); left > 0; left--) {
      const name = next().toLowerCase();
      headers[name] = next();
    }
    return headers;
  }

  close(): void {
    this.#inflate.destroy();
  }
}

/** Stored, not compressed: every inflater takes it. The empty block behind it is the sync flush without which Go's waits for ever. */
export class HeaderWriter {
  #hasBegun = false;

  write(headers: SpdyHeaders): Buffer {
    const pairs = Object.entries(headers);
    const raw = Buffer.concat([u32(pairs.length), ...pairs.flat().map(counted)]);
    const head = Buffer.alloc(5);
    head.writeUInt16LE(raw.length, 1);
    head.writeUInt16LE(raw.length ^ 0xffff, 3);
    const start = this.#hasBegun ? Buffer.alloc(0) : Buffer.from([0x78, 0x01]);
    this.#hasBegun = true;
    return Buffer.concat([start, head, raw, Buffer.from([0, 0, 0, 0xff, 0xff])]);
  }
}
