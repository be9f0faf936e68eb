/** A relay of PostgreSQL that only passes bytes on, with TLS at both sides: what Node itself takes for a query, beside the gateway in databases.bench.ts. */
import { readFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { connect as connectTls, createServer as createTlsServer, type TLSSocket } from 'node:tls';

const setting = (name: string) => process.env[`BENCH_${name}`] ?? '';
const port = Number(setting('URI').split(':')[1]);
const ca = readFileSync(setting('CA'));
/** Its length, and the number that asks for TLS. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

const inside = createTlsServer({ cert: readFileSync(setting('CERT')), key: readFileSync(setting('KEY')) }, (client) => {
  const raw = connect({ port, host: 'localhost', noDelay: true });
  end(client, raw);
  raw.write(SSL_REQUEST);
  raw.once('data', () => {
    const server = connectTls({ socket: raw, ca, servername: 'localhost' });
    end(client, server);
    server.once('secureConnect', () => {
      pass(client, server);
      pass(server, client);
    });
  });
});
const outside = createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => socket.destroy());
  socket.once('data', () => {
    socket.write('S');
    inside.emit('connection', socket);
  });
});
outside.listen(0, '127.0.0.1', () => {
  const address = outside.address();
  process.send?.({ type: 'ready', port: typeof address === 'object' ? address?.port : 0 });
});
process.on('message', (message) => {
  const { user, system } = process.cpuUsage();
  if (message === 'processor') process.send?.({ type: 'processor', microseconds: user + system });
  if (message === 'stop') process.exit(0);
});

function pass(from: TLSSocket, to: TLSSocket): void {
  from.on('data', (piece) => void to.write(piece));
}

function end(one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const)
    from.on('error', () => to.destroy()).on('close', () => to.destroy());
}
