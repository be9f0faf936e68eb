/** The other end of a relay in a process of its own: echoes websockets and sends bytes without end, the same through the tunnel and directly. */
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { openSocketDoor } from '@gatehouse/gateway/platform/http/socket-door';
import { startLeaf } from '@gatehouse/gateway/testing/relay/trusting-ends';

type App = Parameters<typeof openSocketDoor>[0];

const PIECE = Buffer.alloc(64 * 1024, 'x');

function addRoutes(app: App): void {
  app.get<{ Params: { bytes: string } }>('/v1/sites/:clusterId/bytes/:bytes', async (request, reply) => {
    let left = Number(request.params.bytes);
    const pieces = new Readable({
      read() {
        for (let more = true; more; ) {
          const piece = left >= PIECE.length ? PIECE : PIECE.subarray(0, left);
          left -= piece.length;
          more = piece.length > 0 && this.push(piece);
          if (left === 0) {
            this.push(null);
            return;
          }
        }
      },
    });
    return reply.header('content-type', 'application/octet-stream').send(pieces);
  });
  openSocketDoor(app).add('/v1/sites/:clusterId/echo', async (_request, accept) => {
    const socket = await accept();
    socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
  });
}

let direct: App | undefined;
const leaf = await startLeaf({
  name: 'east',
  addRoutes: (app) => {
    direct = app;
    addRoutes(app);
  },
});
await direct!.listen({ host: '127.0.0.1', port: 0 });
process.send?.({ type: 'ready', row: leaf.row, port: (direct!.server.address() as AddressInfo).port });
process.on('message', (message: { root?: number }) => {
  if (message.root === undefined) void leaf.close().then(() => process.exit(0));
  else
    leaf.trusts.set([{ name: 'home', enabled: true, address: `http://127.0.0.1:${message.root}`, ended: undefined }]);
});
