import { once } from 'node:events';
import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createListener } from './host-door.ts';

type Listener = ReturnType<typeof createListener>;

let server: Listener;
let port: number;
beforeEach(async () => {
  server = createListener({ door: () => undefined, isLocal: true }, (request, response) => {
    let bytes = 0;
    request.on('data', (piece: Buffer) => {
      bytes += piece.length;
    });
    request.on('end', () => response.end(`${request.method} ${request.url} ${bytes}`));
  });
  server.on('upgrade', (_, socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\nhello'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

async function ask(how: 'plain' | 'secure', { method = 'GET', body = '' } = {}): Promise<string> {
  const options = { host: '127.0.0.1', port, path: '/x', method, agent: false };
  const asked = how === 'plain' ? plainRequest(options) : secureRequest({ ...options, rejectUnauthorized: false });
  asked.end(body);
  const [response] = await once(asked, 'response');
  let text = '';
  for await (const piece of response) text += piece;
  return text;
}

test('whoever speaks TLS is served by it, whoever does not as before, and many at once', async () => {
  const large = { method: 'POST', body: 'x'.repeat(300_000) };
  const asked = ['plain', 'secure', 'secure', 'plain', 'secure'] as const;

  expect(await Promise.all(asked.map((how) => ask(how)))).toEqual(asked.map(() => 'GET /x 0'));
  expect(await Promise.all(asked.map((how) => ask(how, large)))).toEqual(asked.map(() => 'POST /x 300000'));
});

test('HTTP/1.1 is agreed on by who would speak another, and upgrades pass', async () => {
  const client = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false, ALPNProtocols: ['h2', 'http/1.1'] });
  await once(client, 'secureConnect');
  expect(client.alpnProtocol).toBe('http/1.1');
  client.write('GET /x HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: SPDY/3.1\r\n\r\n');
  let text = '';
  for await (const piece of client) text += piece;

  expect(text).toContain('101 Switching');
});

test('one byte of a handshake, rubbish behind it, or leaving in the middle harms nobody else', async () => {
  for (const bytes of [
    Buffer.from([0x16]),
    Buffer.from([0x16, 3, 1, 0, 5, 1, 2, 3, 4, 5]),
    Buffer.alloc(20_000, 0x16),
  ]) {
    const stranger = connect(port, '127.0.0.1');
    stranger.on('error', () => {});
    await once(stranger, 'connect');
    stranger.write(bytes);
    expect(await ask('secure')).toBe('GET /x 0');
    stranger.destroy();
  }
  expect(await ask('plain')).toBe('GET /x 0');
});
