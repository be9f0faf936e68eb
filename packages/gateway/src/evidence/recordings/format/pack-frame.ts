/** Packs frames of recordings, with packers that are used again: each new one takes megabytes that the engine then cleans up after. */
import { constants, createZstdCompress, type ZstdCompress } from 'node:zlib';

const PIECE_BYTES = 64 * 1024;
/** So many of each kind are kept for the next. */
const MAX_IDLE = 2;
const LEVELS = {
  small: 3,
  /** Where much is printed, time matters more than room. */
  quick: 1,
};

export type Packing = keyof typeof LEVELS;

const idle: Record<Packing, ZstdCompress[]> = { small: [], quick: [] };

/** A whole frame of zstd, with its checksum. */
export async function packFrame(raw: Uint8Array, packing: Packing): Promise<Buffer> {
  const packer = idle[packing].pop() ?? createPacker(packing);
  const packed = await pack(packer, raw);
  // One that failed is not here any more.
  if (idle[packing].length < MAX_IDLE) idle[packing].push(packer);
  else packer.destroy();
  return packed;
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
