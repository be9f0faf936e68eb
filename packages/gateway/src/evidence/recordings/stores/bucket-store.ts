/** Recordings in a bucket of S3 or of anything that speaks it. Loaded only where one is configured: the client is large. */

import { open, stat } from 'node:fs/promises';
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
  S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { BucketConfig } from '../../../platform/config/recording-schema.ts';
import { BoundedMap } from '../../../platform/std/bounded-map.ts';
import { bucketFailure } from './bucket-away.ts';
import { isSid, type RecordingSource, type RecordingStore, requireBeside } from './recording-store.ts';

const ENDING = '.rec';
/** Of one request: what is read bit by bit is fetched in pieces of this, and a few of them are kept. */
const PIECE_BYTES = 1024 * 1024;
const KEPT_PIECES = 4;
const PART_BYTES = 16 * 1024 * 1024;

export interface BucketOptions extends BucketConfig {
  /** Unless given, from the AWS environment. */
  credentials?: S3ClientConfig['credentials'];
}

export interface BucketStore extends RecordingStore {
  /** Returns when the recording is there and was read back unchanged. Never overwrites another one. */
  upload(sid: string, path: string): Promise<void>;
  /** For people who look there. */
  urlOf(sid: string): string;
  close(): void;
}

export function openBucketStore({ bucket, prefix, region, endpoint, credentials }: BucketOptions): BucketStore {
  const client = new S3Client({
    region,
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    ...(credentials === undefined ? {} : { credentials }),
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 5_000, requestTimeout: 60_000 },
    // Checksums beyond those of the protocol's first version are not known to every server that speaks it.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  client.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        throw bucketFailure(error) ?? error;
      }
    },
    { step: 'initialize' },
  );
  const Bucket = bucket;
  const keyOf = (sid: string, ending: string) => `${prefix}${sid}${ending}`;

  const openKey = async (Key: string): Promise<RecordingSource | undefined> => {
    const head = await client.send(new HeadObjectCommand({ Bucket, Key })).catch(unlessMissing);
    if (!head) return undefined;
    const bytes = head.ContentLength ?? 0;
    const fetchPiece = async (at: number): Promise<Buffer> => {
      if (at >= bytes) return Buffer.alloc(0);
      const Range = `bytes=${at}-${Math.min(at + PIECE_BYTES, bytes) - 1}`;
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key, Range }));
      return Buffer.from((await Body?.transformToByteArray()) ?? []);
    };
    return { bytes, changed: toSecond(head.LastModified), read: readByPieces(fetchPiece), close: async () => {} };
  };

  const put = async (Key: string, path: string, size: number): Promise<void> => {
    if (size <= PART_BYTES) {
      await client.send(new PutObjectCommand({ Bucket, Key, Body: await pieceOf(path, 0, size) }));
      return;
    }
    const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
    try {
      const Parts: CompletedPart[] = [];
      for (let at = 0, PartNumber = 1; at < size; at += PART_BYTES, PartNumber += 1) {
        const Body = await pieceOf(path, at, Math.min(PART_BYTES, size - at));
        const { ETag } = await client.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body }));
        Parts.push({ ETag, PartNumber });
      }
      await client.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }));
    } catch (error) {
      await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId })).catch(() => {});
      throw error;
    }
  };

  return {
    async open(sid) {
      return isSid(sid) ? await openKey(keyOf(sid, ENDING)) : undefined;
    },

    async *list() {
      let ContinuationToken: string | undefined;
      do {
        const page = await client.send(new ListObjectsV2Command({ Bucket, Prefix: prefix, ContinuationToken }));
        for (const { Key = '', Size = 0, LastModified } of page.Contents ?? []) {
          const sid = Key.slice(prefix.length, -ENDING.length);
          if (!Key.endsWith(ENDING) || !isSid(sid)) continue;
          yield { sid, bytes: Size, changed: toSecond(LastModified) };
        }
        ContinuationToken = page.NextContinuationToken;
      } while (ContinuationToken !== undefined);
    },

    async remove(sid) {
      if (!isSid(sid)) return;
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket, Prefix: `${prefix}${sid}.` }));
      const keys = Contents.flatMap(({ Key }) => (Key === undefined ? [] : [Key]));
      // The recording last: what is beside it could not be found again without it.
      for (const Key of keys.sort((a) => (a.endsWith(ENDING) ? 1 : -1)))
        await client.send(new DeleteObjectCommand({ Bucket, Key }));
    },

    async readBeside(sid, name) {
      requireBeside(sid, name);
      const object = await client
        .send(new GetObjectCommand({ Bucket, Key: keyOf(sid, `.${name}`) }))
        .catch(unlessMissing);
      return object && Buffer.from((await object.Body?.transformToByteArray()) ?? []);
    },

    async writeBeside(sid, name, bytes) {
      requireBeside(sid, name);
      await client.send(new PutObjectCommand({ Bucket, Key: keyOf(sid, `.${name}`), Body: bytes }));
    },

    async upload(sid, path) {
      if (!isSid(sid)) throw new RangeError(`'${sid}' is not the id of a session`);
      const Key = keyOf(sid, ENDING);
      const { size } = await stat(path);
      const stored = await openKey(Key);
      if (stored && !(await isBeginning(stored, path)))
        throw new Error('the bucket has another recording of this session, and keeps it');
      // Some servers keep what came of an upload that was cut.
      if (stored?.bytes !== size) await put(Key, path, size);
      const proof = await openKey(Key);
      if (proof?.bytes !== size || !(await isBeginning(proof, path)))
        throw new Error('the bucket gives back something else than what was sent');
    },

    urlOf: (sid) => `s3://${bucket}/${keyOf(sid, ENDING)}`,
    close: () => client.destroy(),
  };
}

/** Reads of any length from pieces that are fetched once. */
function readByPieces(fetchPiece: (at: number) => Promise<Buffer>) {
  const kept = new BoundedMap<number, Promise<Buffer>>(KEPT_PIECES);
  const piece = (at: number): Promise<Buffer> => {
    const known = kept.get(at);
    if (known) return known;
    const fetched = fetchPiece(at);
    kept.set(at, fetched);
    // A failure is not remembered.
    fetched.catch(() => kept.delete(at));
    return fetched;
  };
  return async (from: number, length: number): Promise<Buffer> => {
    const parts: Buffer[] = [];
    for (let at = from; at < from + length; ) {
      const begin = at - (at % PIECE_BYTES);
      const part = (await piece(begin)).subarray(at - begin, from + length - begin);
      if (part.length === 0) break;
      parts.push(part);
      at += part.length;
    }
    return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
  };
}

async function pieceOf(path: string, at: number, length: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const bytes = Buffer.alloc(length);
    const { bytesRead } = await file.read(bytes, 0, length, at);
    if (bytesRead < length) throw new Error('the recording became shorter while it was uploaded');
    return bytes;
  } finally {
    await file.close();
  }
}

/** Whether the file begins with all of it. */
async function isBeginning(source: RecordingSource, path: string): Promise<boolean> {
  const { size } = await stat(path);
  if (source.bytes > size) return false;
  for (let at = 0; at < source.bytes; at += PIECE_BYTES) {
    const there = await source.read(at, PIECE_BYTES);
    if (there.length === 0 || !there.equals(await pieceOf(path, at, there.length))) return false;
  }
  return true;
}

/** Lists tell it more exactly than single objects do. */
function toSecond(date: Date | undefined): number {
  return Math.trunc((date?.getTime() ?? 0) / 1000) * 1000;
}

function unlessMissing(error: unknown): undefined {
  if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404 && error.name !== 'NoSuchBucket')
    return undefined;
  throw error;
}
