import { expect, test } from 'vitest';
import { login, ownLogin, readLogin } from './login.ts';
import { HEAD_BYTES } from './packets.ts';

test('of what a client wishes for, only what is known passes', () => {
  const client = ownLogin();
  client.fixed.fill(0xff, 24, 28);
  const sent = login(client, { user: 'app' }, 'x', 'shop').subarray(HEAD_BYTES);

  // No other order of bytes nor EBCDIC; ODBC, and nobody who replicates; OLE DB and that it only reads.
  expect([...sent.subarray(24, 28)]).toEqual([0xf0, 0x03, 0x30, 0x08]);
  expect(readLogin(sent)).toMatchObject({ app: 'gatehouse', database: 'shop' });
});
