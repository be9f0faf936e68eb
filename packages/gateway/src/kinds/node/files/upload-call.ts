/** One call that uploads: alone for its file, cut with the use of files, and audited. */
import type { Readable } from 'node:stream';
import { bodyPieces } from '../../../platform/http/body-pieces.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import type { FileSession } from './file-session.ts';
import type { FilesAudit } from './files-audit.ts';
import { pathOf, type UploadedBytes, writeUpload } from './uploads.ts';

export interface UploadCall extends Omit<UploadedBytes, 'source' | 'onWritten'> {
  session: FileSession;
  audit: FilesAudit;
  address: string;
  body: Readable;
}

export async function takeUpload({ session, audit, address, body, ...wanted }: UploadCall): Promise<void> {
  const path = pathOf(wanted);
  const touched = { facts: session.facts, address, path, how: `scp -t ${path}` };
  const mine = new AbortController();
  const done = Promise.withResolvers<void>();
  const key = `${wanted.id} ${path}`;
  // The connection of a try before may be lost without our knowing: the newer one is what the person waits for.
  const before = session.uploads.get(key);
  const own = {
    cut: () => mine.abort(new AppError('conflict', 'another try of this upload goes on')),
    done: done.promise,
  };
  session.uploads.set(key, own);
  try {
    before?.cut();
    await before?.done;
    await session.use((client) => {
      const signal = AbortSignal.any([session.signal, mine.signal, client.signal]);
      const source = bodyPieces(body, { signal });
      return writeUpload(client, { ...wanted, source, onWritten: () => session.active() });
    });
    await audit.transfer('upload', touched);
  } catch (error) {
    await audit.transfer('upload', touched, error);
    throw error;
  } finally {
    if (session.uploads.get(key) === own) session.uploads.delete(key);
    done.resolve();
  }
}
