/** A process that passes on what one connection of TLS says to one without: the least that anything between a host and a page costs. */
import { type AddressInfo, createServer as createPlain, type Socket } from 'node:net';
import { createServer } from 'node:tls';

process.once('message', ({ cert, key }: { cert: string; key: string }) => {
  let page: Socket | undefined;
  const plain = createPlain((socket) => {
    page = socket;
  }).listen(0, '127.0.0.1', () => {
    const secure = createServer({ cert, key }, (host) => host.on('data', (piece: Buffer) => page?.write(piece)));
    secure.listen(0, '127.0.0.1', () => {
      const [hosts, pages] = [secure, plain].map((server) => (server.address() as AddressInfo).port);
      process.send?.({ hosts, pages });
    });
  });
});
process.once('disconnect', () => process.exit(0));
