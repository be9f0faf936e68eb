/** Cancels what runs at a MySQL server: by a statement, on a sign-in of its own. */
import type { Duplex } from 'node:stream';
import { ByteSource } from '../byte-source.ts';
import type { ServerTerms } from '../server-terms.ts';
import { CAN } from './capabilities.ts';
import { meetServer } from './greeting.ts';
import { packet, readServerError, refusedBy } from './packets.ts';
import { readPacket } from './read-packet.ts';
import { type ClientDialect, signIn } from './sign-in.ts';

const QUERY = 3;
const QUIT = 1;
/** It has ended by itself. */
const NO_SUCH_THREAD = '1094';
const UTF8 = 33;

const DIALECT: ClientDialect = {
  capabilities: { basic: CAN.longPassword | CAN.transactions | CAN.connectAttributes, extended: 0 },
  charset: UTF8,
  maxPacket: 1024 * 1024,
  attributes: Buffer.alloc(0),
};

/** Done when the server has heard it. No database is used: nobody asks whether it is still there. */
export async function cancelAt(bare: Duplex, thread: number, terms: ServerTerms, signal: AbortSignal): Promise<void> {
  try {
    const { server, rest } = await signIn(await meetServer(bare, signal), { ...terms, database: '' }, DIALECT, signal);
    if (rest.length > 0) return;
    const source = new ByteSource(server);
    server.write(packet(0, Buffer.concat([Buffer.of(QUERY), Buffer.from(`KILL QUERY ${thread >>> 0}`)])));
    const { body } = await readPacket(source, 1, signal);
    const wrong = body[0] === 0xff ? readServerError(body) : undefined;
    if (wrong && wrong.code !== NO_SUCH_THREAD) throw refusedBy(wrong);
    server.end(packet(0, Buffer.of(QUIT)));
  } finally {
    bare.destroy();
  }
}
