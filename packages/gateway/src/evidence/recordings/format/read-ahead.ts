/** Reads a recording in large pieces, so that many small frames do not cost a call each. */
import type { RecordingSource } from '../stores/recording-store.ts';

const WINDOW_BYTES = 512 * 1024;

export function readAhead(source: RecordingSource, windowBytes = WINDOW_BYTES): RecordingSource {
  let window: { at: number; bytes: Buffer; isLast: boolean } = { at: 0, bytes: Buffer.alloc(0), isLast: false };
  const covers = (from: number, length: number) => {
    const end = window.at + window.bytes.length;
    return from >= window.at && (from + length <= end || (window.isLast && from <= end));
  };
  return {
    bytes: source.bytes,
    async read(from, length) {
      if (!covers(from, length)) {
        if (length >= windowBytes) return await source.read(from, length);
        const bytes = await source.read(from, windowBytes);
        window = { at: from, bytes, isLast: bytes.length < windowBytes };
      }
      return window.bytes.subarray(from - window.at, from - window.at + length);
    },
    close: () => source.close(),
  };
}
