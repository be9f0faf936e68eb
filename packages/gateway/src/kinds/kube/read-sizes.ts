/** Sizes of a terminal as clients of Kubernetes tell them: JSON after JSON, with or without a line break between. */
import { MAX_COLS, MAX_ROWS } from '@gatehouse/contract/sessions/screen-size';
import { parseJson } from '@gatehouse/contract/std/parse-json';
import { z } from 'zod';

const MAX_SIZE_BYTES = 256;
const size = z.object({ Width: z.int().min(1), Height: z.int().min(1) });

/** Calls back with each. What is none is passed over. */
export function sizeReader(onSize: (size: { cols: number; rows: number }) => void): (bytes: Buffer) => void {
  let left = '';
  return (bytes) => {
    left += bytes.toString('latin1');
    for (let end = left.indexOf('}'); end >= 0; end = left.indexOf('}')) {
      const one = left.slice(0, end + 1);
      left = left.slice(end + 1);
      const read = size.safeParse(parseJson(one)).data;
      if (read) onSize({ cols: Math.min(read.Width, MAX_COLS), rows: Math.min(read.Height, MAX_ROWS) });
    }
    if (left.length > MAX_SIZE_BYTES) left = '';
  };
}
