/** A real server that speaks S3, for tests: it can be cut off, and says what it was sent. */
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';
import type { BucketOptions } from '../../src/evidence/recordings/stores/bucket-store.ts';

export interface S3Server {
  options: BucketOptions;
  /** What follows is lost after this many bytes; undefined: everything passes. */
  cutAfter(bytes: number | undefined): void;
  close(): Promise<void>;
}

export async function startS3Server(): Promise<S3Server> {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-s3-'));
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: 'recordings', configs: [] }],
  });
  const { port } = (await server.run()) as AddressInfo;
  let limit: number | undefined;
  const sockets = new Set<Socket>();
  // A wire in between, so that it can break in the middle of an upload.
  const wire = createServer((client) => {
    const target = dial(port, '127.0.0.1');
    for (const [from, to] of [
      [client, target],
      [target, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      let passed = 0;
      from.on('data', (bytes) => {
        passed += bytes.length;
        if (limit !== undefined && from === client && passed > limit) from.destroy();
        else to.write(bytes);
      });
    }
  });
  await new Promise<void>((resolve) => wire.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(wire.address() as AddressInfo).port}`;
  return {
    options: {
      bucket: 'recordings',
      prefix: 'cluster/',
      region: 'us-east-1',
      endpoint,
      credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
    },
    cutAfter(bytes) {
      limit = bytes;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => wire.close(() => resolve()));
      await server.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
