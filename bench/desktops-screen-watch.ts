/** A thread that looks at one pixel of a screen which Xvfb keeps in a file, four times in a millisecond, and tells when it has another colour. */
import { openSync, readSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

const LOOK_MS = 0.25;
const { file, x, y } = workerData as { file: string; x: number; y: number };
const fd = openSync(file, 'r');
const head = Buffer.alloc(100);
readSync(fd, head, 0, head.length, 0);
/** As `xwd` writes them: sizes first, then colours of twelve bytes, then rows. */
const [headBytes, rowBytes, colours] = [0, 12, 19].map((field) => head.readUInt32BE(field * 4)) as [
  number,
  number,
  number,
];
const at = headBytes + colours * 12 + y * rowBytes + x * 4;
const pixel = Buffer.alloc(4);
const sleeper = new Int32Array(new SharedArrayBuffer(4));
const DIFFERENCE = 48;

for (let last = -1; ; Atomics.wait(sleeper, 0, 0, LOOK_MS)) {
  readSync(fd, pixel, 0, 4, at);
  const colour = pixel.readUInt32LE(0) & 0xff_ffff;
  const isOther = [0, 8, 16].some(
    (shift) => Math.abs(((colour >> shift) & 0xff) - ((last >> shift) & 0xff)) > DIFFERENCE,
  );
  if (last >= 0 && !isOther) continue;
  last = colour;
  parentPort?.postMessage({ colour, at: Number(process.hrtime.bigint()) / 1e6 });
}
