/**
 * Reads sockets in large pieces whose memory is used again. Node gives every 64 KB a buffer of its own, and cleaning them up
 * costs more than the download itself once the heap of a gateway is behind it.
 */
import type { Duplex } from 'node:stream';

const PIECE_BYTES = 256 * 1024;
/** Below this a copy of its own is cheaper than keeping account. */
const SMALL_BYTES = 16 * 1024;
const MAX_KEPT = 32;

/** `release`: its bytes are on their way and its memory may be used again; undefined where nobody has to say so. */
export type TakeChunk = (data: Buffer, release: Release | undefined) => void;
export type Release = (error?: Error | null) => void;

/** One for all sockets: what is read is copied out of it before anything else can be read. */
const shared = Buffer.allocUnsafeSlow(PIECE_BYTES);
const kept: Buffer[] = [];
const takers = new WeakMap<Duplex, (take: TakeChunk) => void>();

export interface PooledReads {
  /** For the options of a socket that is about to be opened. */
  onread: { buffer: Buffer; callback(bytes: number): boolean };
  /** Call it with the socket that came of it, before it can have been sent anything. */
  belongTo(socket: Duplex): void;
}

export function createPooledReads(): PooledReads {
  let taker: TakeChunk | undefined;
  let owner: Duplex | undefined;
  return {
    onread: {
      buffer: shared,
      callback(bytes) {
        // Whoever talks before being asked anything is not heard.
        if (taker) taker(...pieceOf(bytes));
        else owner?.destroy();
        return true;
      },
    },
    belongTo(socket) {
      owner = socket;
      takers.set(socket, (take) => {
        taker = take;
      });
    },
  };
}

/** Where the pieces of a socket go; false for one that gives them as `data`. */
export function takePooledReads(socket: Duplex, take: TakeChunk): boolean {
  const attach = takers.get(socket);
  attach?.(take);
  return attach !== undefined;
}

function pieceOf(bytes: number): [data: Buffer, release: Release | undefined] {
  if (bytes < SMALL_BYTES) return [Buffer.from(shared.subarray(0, bytes)), undefined];
  const memory = kept.pop() ?? Buffer.allocUnsafeSlow(PIECE_BYTES);
  shared.copy(memory, 0, 0, bytes);
  return [
    memory.subarray(0, bytes),
    (error) => {
      // After a failure something may still hold it.
      if (!error && kept.length < MAX_KEPT) kept.push(memory);
    },
  ];
}
