/** Walks through the frames of a recording by their heads alone, and says where the whole ones end. */
import type { FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { decodeHead, type FrameHead, HEAD_BYTES } from './frames.ts';

const decompress = promisify(zstdDecompress);

export interface FoundFrame extends FrameHead {
  /** Where its packed bytes begin in the file. */
  at: number;
}

/** Those that are whole; a torn one at the end is left out. */
export async function findFrames(file: FileHandle): Promise<{ frames: FoundFrame[]; end: number }> {
  const { size } = await file.stat();
  const frames: FoundFrame[] = [];
  let end = 0;
  for (;;) {
    const head = Buffer.alloc(HEAD_BYTES);
    const { bytesRead } = await file.read(head, 0, HEAD_BYTES, end);
    const read = bytesRead === HEAD_BYTES ? decodeHead(head) : undefined;
    const next = end + HEAD_BYTES + (read?.packedBytes ?? 0);
    if (!read || next > size) break;
    frames.push({ ...read, at: end + HEAD_BYTES });
    end = next;
  }
  const last = frames.at(-1);
  // A crash may have left the length of the file and not its bytes.
  if (last && !(await isWhole(file, last))) {
    frames.pop();
    end = last.at - HEAD_BYTES;
  }
  return { frames, end };
}

export async function readFrame(file: FileHandle, { at, packedBytes, rawBytes }: FoundFrame): Promise<Buffer> {
  const packed = Buffer.alloc(packedBytes);
  await file.read(packed, 0, packedBytes, at);
  return decompress(packed, { maxOutputLength: rawBytes });
}

async function isWhole(file: FileHandle, frame: FoundFrame): Promise<boolean> {
  try {
    return (await readFrame(file, frame)).length === frame.rawBytes;
  } catch {
    return false;
  }
}
