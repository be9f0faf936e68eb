/** New keys for a connection after so many bytes, or so long: ssh2 leaves that to whoever it talks to. */
import type { Duplex } from 'node:stream';
import type { Connection } from 'ssh2';

const REKEY_MS = 60 * 60_000;
const REKEY_BYTES = 1024 ** 3;
const LOOK_EVERY_MS = 5_000;

interface RekeyedClient {
  client: Connection;
  stream: Duplex & { bytesRead?: number; bytesWritten?: number };
  now: () => number;
}

/** Gives back how to stop. */
export function rekeyNowAndThen({ client, stream, now }: RekeyedClient): () => void {
  let [since, bytes] = [now(), 0];
  const timer = setInterval(() => {
    const passed = (stream.bytesRead ?? 0) + (stream.bytesWritten ?? 0);
    if (now() - since < REKEY_MS && passed - bytes < REKEY_BYTES) return;
    [since, bytes] = [now(), passed];
    client.rekey();
  }, LOOK_EVERY_MS).unref();
  return () => clearInterval(timer);
}
