/** Files and archives on their way to somebody: as fast as they are taken, cut when the use of files ends, and audited once. */

import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { shownName } from '@gatehouse/contract/kinds/node/files/paths';
import { OPEN_FLAG, REQUEST } from '@gatehouse/contract/kinds/node/files/sftp';
import { visibleText } from '@gatehouse/contract/std/visible-text';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import { attachmentNamed, type ByteReply } from '../../../platform/http/byte-reply.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import { type ArchiveRoot, tarOf } from './archive.ts';
import { readRangeHeader } from './byte-range.ts';
import type { FileSession } from './file-session.ts';
import { about, typeOf } from './server-files.ts';
import { bytesOfName } from './sftp/name-bytes.ts';
import { readRange } from './sftp/transfer.ts';

/** Somebody who takes nothing for so long has gone, or paused: the download can be gone on with. */
const STALL_MS = 5 * 60_000;
/** Compression must keep up with the network; more of it gains little. */
const GZIP_LEVEL = 2;
const BUFFER_BYTES = 256 * 1024;

export interface DownloadOptions {
  session: FileSession;
  /** Of the headers Range and If-Range. */
  range?: string | undefined;
  ifRange?: string | undefined;
  /** Told once, when it is over: without an error when all of it was given. */
  onOver(error?: unknown): Promise<void>;
}

/** The reply for one file, or for a part of it. */
export async function downloadFile(path: string, name: string, options: DownloadOptions): Promise<ByteReply> {
  const { session, onOver } = options;
  const release = session.hold();
  try {
    const client = await session.client();
    // Before it is opened: opening a pipe could wait for ever.
    const kind = typeOf(await about(path, client.attributes(REQUEST.stat, bytesOfName(path))));
    if (kind !== 'file')
      throw new AppError('bad_request', `'${visibleText(path, 200)}' is ${kind === 'folder' ? 'a folder' : 'no file'}`);
    const handle = await about(path, client.handle(REQUEST.open, bytesOfName(path), OPEN_FLAG.read, 0));
    const close = () => void client.close(handle).finally(release);
    try {
      const { size, modified } = await about(path, client.attributes(REQUEST.fstat, handle));
      const tag = `"${size.toString(36)}-${modified.toString(36)}"`;
      const isSame = options.ifRange === undefined || options.ifRange === tag;
      const asked = readRangeHeader(isSame ? options.range : undefined, size);
      const headers = {
        'accept-ranges': 'bytes',
        etag: tag,
        'last-modified': new Date(modified * 1000).toUTCString(),
        'content-disposition': attachmentNamed(shownName(name)),
      };
      if (asked.type === 'none') {
        close();
        await onOver(new AppError('bad_request', 'a part was asked for that is not there'));
        return { status: 416, headers: { ...headers, 'content-range': `bytes */${size}` }, bytes: undefined };
      }
      const { from, to } = asked.type === 'all' ? { from: 0, to: size } : asked;
      const bytes = guarded(whole(readRange(client, handle, { from, to }), to - from), { session, onOver, close });
      const part: Record<string, string> =
        asked.type === 'part' ? { 'content-range': `bytes ${from}-${to - 1}/${size}` } : {};
      return {
        status: asked.type === 'all' ? 200 : 206,
        headers: { ...headers, ...part, 'content-length': String(to - from) },
        bytes,
      };
    } catch (error) {
      close();
      throw error;
    }
  } catch (error) {
    release();
    const told = session.explain(error);
    await onOver(told);
    throw told;
  }
}

/** The reply for several files and folders. */
export async function downloadArchive(
  roots: readonly ArchiveRoot[],
  name: string,
  options: DownloadOptions,
): Promise<ByteReply> {
  const { session, onOver } = options;
  const release = session.hold();
  try {
    const client = await session.client();
    const pieces = tarOf(client, roots);
    // What cannot be begun is told as an error, not as a broken archive.
    const first = await pieces.next();
    const packed = createGzip({ level: GZIP_LEVEL });
    const tar = guarded(goOn(first, pieces), { session, onOver, close: release });
    pipeline(tar, packed, () => {});
    return { status: 200, headers: { 'content-disposition': attachmentNamed(shownName(name)) }, bytes: packed };
  } catch (error) {
    release();
    const told = session.explain(error);
    await onOver(told);
    throw told;
  }
}

async function* goOn(first: IteratorResult<Buffer>, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  if (!first.done) yield first.value;
  yield* rest;
}

/** A file that has become shorter meanwhile must not look like one that was given whole. */
async function* whole(pieces: AsyncGenerator<Buffer>, length: number): AsyncGenerator<Buffer> {
  let sent = 0;
  for await (const piece of pieces) {
    sent += piece.length;
    yield piece;
  }
  if (sent < length) throw new AppError('conflict', `the file became shorter: ${sent} of ${length} bytes were read`);
}

interface Guard extends Pick<DownloadOptions, 'session' | 'onOver'> {
  /** Gives back what is held for it. */
  close(): void;
}

/** Ends with the use of files, or when nobody takes anything; and tells, before its end is seen, how it went. */
function guarded(pieces: AsyncGenerator<Buffer>, { session, onOver, close }: Guard): Readable {
  let sent = 0;
  let told = false;
  const tell = async (error?: unknown) => {
    if (told) return;
    told = true;
    await onOver(error);
  };
  const stalled = setTimeout(
    () => stream.destroy(new Error('nobody took anything of it for a while')),
    STALL_MS,
  ).unref();
  async function* watched() {
    try {
      for await (const piece of pieces) {
        sent += piece.length;
        session.active();
        stalled.refresh();
        yield piece;
      }
    } catch (error) {
      throw session.explain(error);
    }
    await tell();
  }
  const stream = Readable.from(watched(), { objectMode: false, highWaterMark: BUFFER_BYTES });
  stream.once('close', () => {
    clearTimeout(stalled);
    forget();
    close();
    void tell(stream.errored ?? new Error(`it was given up after ${sent} bytes`));
  });
  // What the reader of the stream does not hear must not end the process.
  stream.on('error', () => {});
  const forget = whenAborted(
    session.signal,
    () => void stream.destroy(session.explain(session.signal.reason) as Error),
  );
  return stream;
}
