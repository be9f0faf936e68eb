import { Duplex } from 'node:stream';
import { expect, test } from 'vitest';
import { startTls } from './start-tls.ts';

test('a handshake that begins when its session is over does not wait for the other side', async () => {
  const silent = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  const terms = { name: 'app.example', ca: '', insecureSkipVerify: false, protocols: ['http/1.1'] };

  await expect(startTls(silent, terms, AbortSignal.abort())).rejects.toThrow('in time');
});
