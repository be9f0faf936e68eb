import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { Duplex } from 'node:stream';
import { createServer } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { makeTestAuthority } from '../../../testing/db/test-authority.ts';
import { startTls } from './start-tls.ts';

test('a handshake that begins when its session is over does not wait for the other side', async () => {
  const silent = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  const terms = { name: 'app.example', ca: '', insecureSkipVerify: false, protocols: ['http/1.1'] };

  await expect(startTls(silent, terms, AbortSignal.abort())).rejects.toThrow('in time');
});

test('what was dialled can be closed as soon as TLS stands, without ending the process', async () => {
  const { server: shown, ca } = await makeTestAuthority();
  const server = createServer(shown, (socket) => void socket.on('error', () => {}).write('x'.repeat(50_000)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const terms = { name: 'localhost', ca, insecureSkipVerify: false, protocols: [] };
  for (let count = 0; count < 20; count += 1) {
    const bare = connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
    await once(bare, 'connect');
    const inside = await startTls(bare, terms, AbortSignal.timeout(10_000));
    bare.destroy();
    inside.destroy();
  }
});
