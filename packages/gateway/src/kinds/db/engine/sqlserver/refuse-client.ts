/** Tells a client of SQL Server that it is not let in: it hears of it where it signs in, and not before. */
import type { Duplex } from 'node:stream';
import { ByteSource } from '../byte-source.ts';
import { malformed } from '../db-failure.ts';
import { errorReply, TYPE } from './packets.ts';
import { ENCRYPTION, prelogin, takeMessage } from './prelogin.ts';

const MAX_GREETING_BYTES = 16 * 1024;
const MAX_LOGIN_BYTES = 4 * MAX_GREETING_BYTES;
/** Of who could not sign in. */
export const LOGIN_FAILED = 18_456;
/** Said where no server could be asked for its own: the client goes on to sign in, and hears there why not. */
export const SOME_VERSION = Buffer.of(16, 0, 0, 0, 0, 0);

/** What the client sends instead of a greeting or a sign-in ends its connection. */
export async function refuseClient(client: Duplex, words: string, signal: AbortSignal): Promise<void> {
  const source = new ByteSource(client, 'left');
  const hello = await takeMessage(source, MAX_GREETING_BYTES, signal);
  if (hello.head.type !== TYPE.prelogin) throw malformed('no greeting of SQL Server');
  client.write(prelogin(TYPE.reply, { version: SOME_VERSION, encryption: ENCRYPTION.notSupported }));
  const login = await takeMessage(source, MAX_LOGIN_BYTES, signal);
  if (login.head.type !== TYPE.login) throw malformed('no sign-in of SQL Server');
  client.end(errorReply(LOGIN_FAILED, words, true));
}
