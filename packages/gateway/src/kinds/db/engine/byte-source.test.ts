import { duplexPair } from 'node:stream';
import { expect, test } from 'vitest';
import { ByteSource } from './byte-source.ts';
import { DbFailure } from './db-failure.ts';

/** As Node gives what OpenSSL says. */
function ofTls(reason: string, code: string): Error {
  const message = `402D03082A7F0000:error:0A00045C:SSL routines:ssl3_read_bytes:${reason}:../deps/openssl/rec_layer_s3.c:918:\n`;
  return Object.assign(new Error(message), { library: 'SSL routines', reason, code });
}

async function lostTo(error: Error): Promise<unknown> {
  const [near] = duplexPair();
  const taken = new ByteSource(near).take(1, new AbortController().signal).catch((why: unknown) => why);
  near.destroy(error);
  return await taken;
}

test('a server that asks for a certificate only after the handshake is told as that, with what to do', async () => {
  const failure = await lostTo(ofTls('tlsv13 alert certificate required', 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'));

  expect(failure).toBeInstanceOf(DbFailure);
  expect(failure).toMatchObject({ kind: 'unsupported', message: 'it lets in only who shows a certificate' });
  expect(failure).toHaveProperty('next', expect.stringContaining('sign in to this database by certificate'));
});

test('another alert is told without what OpenSSL says of this process', async () => {
  const failure = await lostTo(ofTls('sslv3 alert bad certificate', 'ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE'));

  expect(failure).toMatchObject({ kind: 'unsupported', message: 'it ends TLS: sslv3 alert bad certificate' });
});

test('what is no matter of TLS stays what it is', async () => {
  const broken = Object.assign(new Error('read ECONNRESET'), { syscall: 'read' });

  expect(await lostTo(broken)).toBe(broken);
});
