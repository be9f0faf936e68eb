/** Recordings made from what is said to have happened, without waiting for it: for tests and benches. */
import { hash } from 'node:crypto';
import { constants, zstdCompressSync } from 'node:zlib';
import { keyIdOf } from '../../../src/evidence/recordings/format/check-recording.ts';
import {
  encodeHead,
  encodeItem,
  HASH_BYTES,
  ITEM_HEAD_BYTES,
  ITEMS,
} from '../../../src/evidence/recordings/format/frames.ts';
import { makeSeal, type SealSigner } from '../../../src/evidence/recordings/format/seal.ts';

export type Happening = { ms: number } & (
  | { type: 'output'; text: string | Uint8Array }
  | { type: 'size'; cols: number; rows: number }
  | { type: 'join' | 'leave'; user: string; mode: string }
  | { type: 'end'; cause: string; message: string }
  | { type: 'asked'; n: number; text: string }
);

export interface BuiltSession {
  sid: string;
  user?: string;
  started?: number;
  kind?: string;
}

const FRAME_MS = 1_000;
const FRAME_BYTES = 256 * 1024;
const SEAL_MS = 60_000;
const PACKING = { params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 } };

/** Gives the file piece by piece, as it would have been written. */
export function* recordingPieces(
  { sid, user = 'ann', started = 0, kind = 'node' }: BuiltSession,
  happenings: Iterable<Happening>,
  signer: SealSigner,
): Generator<Buffer> {
  const keyId = keyIdOf(signer.publicKey);
  let before: Buffer = Buffer.alloc(HASH_BYTES);
  let items: { type: number; ms: number; bytes: Uint8Array }[] = [];
  let waiting = 0;
  let given = 0;
  let cut = 0;
  let lastMs = 0;
  let sealedMs = 0;
  const add = (type: number, ms: number, bytes: Uint8Array) => {
    items.push({ type, ms, bytes });
    waiting += ITEM_HEAD_BYTES + bytes.length;
    lastMs = ms;
    if (type === ITEMS.output) given += bytes.length;
  };
  const frame = (): Buffer => {
    const startMs = items[0]?.ms ?? 0;
    const raw = Buffer.concat(items.map(({ type, ms, bytes }) => encodeItem(type, ms - startMs, bytes)));
    const kinds = items.reduce((bits, { type }) => bits | (1 << type), 0);
    const packed = zstdCompressSync(raw, PACKING);
    const facts = { startMs, endMs: lastMs, rawBytes: raw.length, packedBytes: packed.length, from: cut, to: given };
    const bytes = Buffer.concat([encodeHead({ type: 'frame', ...facts, kinds, before }), packed]);
    cut = given;
    items = [];
    waiting = 0;
    before = hash('sha256', bytes, 'buffer');
    return bytes;
  };
  const seal = (): Buffer => {
    const head = { startMs: lastMs, endMs: lastMs, rawBytes: 0, packedBytes: 0, from: cut, to: cut, kinds: 0, before };
    const bytes = makeSeal({ type: 'seal', ...head }, keyId, signer);
    before = hash('sha256', bytes, 'buffer');
    sealedMs = lastMs;
    return bytes;
  };
  const resource = { id: 'node-1', name: 'edge' };
  const facts = { format: 1, sid, cluster: 'localhost', kind, resource, login: 'ubuntu', user, started };
  add(ITEMS.facts, 0, Buffer.from(JSON.stringify(facts)));
  for (const happening of happenings) {
    const first = items[0];
    if (first && (happening.ms - first.ms >= FRAME_MS || waiting >= FRAME_BYTES)) {
      yield frame();
      if (lastMs - sealedMs >= SEAL_MS) yield seal();
    }
    add(ITEMS[happening.type], happening.ms, bytesOf(happening));
  }
  yield frame();
  yield seal();
}

export function buildRecording(session: BuiltSession, happenings: Iterable<Happening>, signer: SealSigner): Buffer {
  return Buffer.concat([...recordingPieces(session, happenings, signer)]);
}

function bytesOf(happening: Happening): Uint8Array {
  switch (happening.type) {
    case 'output':
      return typeof happening.text === 'string' ? Buffer.from(happening.text) : happening.text;
    case 'size': {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt16LE(happening.cols, 0);
      bytes.writeUInt16LE(happening.rows, 2);
      return bytes;
    }
    case 'end': {
      const { cause, message } = happening;
      return Buffer.from(JSON.stringify({ cause, message }));
    }
    case 'asked': {
      const { n, text } = happening;
      return Buffer.from(JSON.stringify({ n, what: 'query', text }));
    }
    default: {
      const { user, mode } = happening;
      return Buffer.from(JSON.stringify({ user, mode }));
    }
  }
}
