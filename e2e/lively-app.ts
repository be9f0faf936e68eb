/** An application for tests of the browser that uses all that the web has for staying in touch. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

export interface LivelyApp {
  origin: string;
  stop(): Promise<void>;
  /** Header lines of every request, in order. */
  seen: { url: string; headers: IncomingMessage['headers'] }[];
  /** Websockets that are open now. */
  sockets: Set<Duplex>;
}

const PAGE = `<!doctype html><title>Lively</title><h1>Lively</h1><p id="socket">…</p><p id="events">…</p>
<script>
  const socket = new WebSocket(location.origin.replace('http', 'ws') + '/socket');
  const say = (id, text) => { document.getElementById(id).textContent = text; };
  socket.onopen = () => socket.send('ping');
  socket.onmessage = ({ data }) => say('socket', 'heard ' + data);
  socket.onclose = () => say('socket', 'closed');
  new EventSource('/events').onmessage = ({ data }) => say('events', 'event ' + data);
</script>`;

/** Redirects to itself by its own address, has a cookie of its own, answers websockets and streams events. */
export async function startLivelyApp(): Promise<LivelyApp> {
  const seen: LivelyApp['seen'] = [];
  const sockets = new Set<Duplex>();
  const server = createServer((request, response) => {
    const { url = '', headers } = request;
    seen.push({ url, headers });
    if (url === '/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: 1\n\n');
      const timer = setInterval(() => response.write('data: 2\n\n'), 100);
      response.on('close', () => clearInterval(timer));
      return;
    }
    if (url === '/old') {
      response.writeHead(302, { location: `${origin()}/page?from=old`, 'set-cookie': 'own=1; Path=/; HttpOnly' }).end();
      return;
    }
    response.setHeader('content-type', 'text/html').end(PAGE);
  });
  server.on('upgrade', (request, socket) => answerSocket(request, socket, sockets));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin: origin(),
    seen,
    sockets,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** Says back every short text. */
function answerSocket({ headers }: IncomingMessage, socket: Duplex, sockets: Set<Duplex>): void {
  const accept = createHash('sha1')
    .update(`${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  sockets.add(socket);
  socket.on('close', () => sockets.delete(socket));
  socket.on('error', () => socket.destroy());
  // Of a server they stay half open otherwise.
  socket.on('end', () => socket.end());
  socket.on('data', (frame: Buffer) => {
    const length = (frame[1] ?? 0) & 0x7f;
    if (frame[0] !== 0x81) {
      socket.end();
      return;
    }
    const mask = frame.subarray(2, 6);
    const text = Buffer.from(frame.subarray(6, 6 + length).map((byte, at) => byte ^ (mask[at % 4] ?? 0)));
    socket.write(Buffer.concat([Buffer.from([0x81, text.length]), text]));
  });
}
