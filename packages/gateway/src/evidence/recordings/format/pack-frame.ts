/** Packs frames of recordings, with packers that are used again: each new one takes megabytes that the engine then cleans up after. */
import { constants, createZstdCompress, type ZstdCompress } from 'node:zlib';

const PIECE_BYTES = 64 * 1024;
/**
 * So many of each kind pack at a time, and are kept for the next: whatever comes meanwhile waits in line. Where a thousand sessions end
 * at once, a packer for each would take longer than the packing, and the memory of all of them.
 */
const MAX_PACKERS = 2;
const LEVELS = {
  small: 3,
  /** Where much is printed, time matters more than room. */
  quick: 1,
};

export type Packing = keyof typeof LEVELS;

interface Packers {
  idle: ZstdCompress[];
  /** Of those that exist. */
  count: number;
  /** Who waits for one, in turn. */
  waiting: ((packer: ZstdCompress) => void)[];
}

const packers: Record<Packing, Packers> = {
  small: { idle: [], count: 0, waiting: [] },
  quick: { idle: [], count: 0, waiting: [] },
};

/** A whole frame of zstd, with its checksum. */
export async function packFrame(raw: Uint8Array, packing: Packing): Promise<Buffer> {
  const packer = await takePacker(packing);
  let next = packer;
  try {
    return await pack(packer, raw);
  } catch (error) {
    // What failed in the middle of a frame must not begin another one.
    packer.destroy();
    next = createPacker(packing);
    throw error;
  } finally {
    const { idle, waiting } = packers[packing];
    const take = waiting.shift();
    if (take) take(next);
    else idle.push(next);
  }
}

function takePacker(packing: Packing): ZstdCompress | Promise<ZstdCompress> {
  const all = packers[packing];
  const packer = all.idle.pop();
  if (packer) return packer;
  if (all.count >= MAX_PACKERS) return new Promise((resolve) => all.waiting.push(resolve));
  all.count += 1;
  return createPacker(packing);
}

function createPacker(packing: Packing): ZstdCompress {
  const params = { [constants.ZSTD_c_compressionLevel]: LEVELS[packing], [constants.ZSTD_c_checksumFlag]: 1 };
  return createZstdCompress({ params, chunkSize: PIECE_BYTES });
}

function pack(packer: ZstdCompress, raw: Uint8Array): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    const take = (piece: Buffer) => pieces.push(piece);
    packer.on('data', take);
    packer.once('error', reject);
    packer.write(raw);
    packer.flush(constants.ZSTD_e_end, () => {
      packer.off('data', take);
      packer.off('error', reject);
      resolve(Buffer.concat(pieces));
    });
  });
}
