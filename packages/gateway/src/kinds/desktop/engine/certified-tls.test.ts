/** TLS with a host that speaks none. */
import { Duplex } from 'node:stream';
import { expect, test } from 'vitest';
import { secured } from './certified-tls.ts';

test('why TLS does not come about is told in words, without what OpenSSL says of this process', async () => {
  const stream = new Duplex({
    read() {},
    write(_bytes, _encoding, done) {
      this.push(Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'));
      done();
    },
  });
  const failed = await secured(stream, 'host.test', new AbortController().signal).catch((error: unknown) => error);
  expect(failed).toMatchObject({ step: 'tls', message: 'TLS with the host does not come about: wrong version number' });
});
