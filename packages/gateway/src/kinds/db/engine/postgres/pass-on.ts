/** A PostgreSQL session from the moment both sides are ready: bytes pass as they came, and both directions are looked at. */
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Flow } from '../flow.ts';
import type { PassedOn, WrittenBehind } from '../passed-on.ts';
import { waitForTelling } from '../wait-for-telling.ts';
import { authenticationOk, fatal, message } from './messages.ts';
import type { SignedIn } from './sign-in.ts';
import { Statements, type StatementTeller } from './statements.ts';

/** How long a message that has begun may take to its end, before the reason is said. */
const FINISH_MS = 1_000;
/** The server ends a session for an administrator's reasons with it. */
const ADMIN_SHUTDOWN = '57P01';
const PROTOCOL_VIOLATION = '08P01';
const READY = message('Z', Buffer.from('I'));
/** Of what was no message, for the audit. */
const SAMPLE_BYTES = 256;
/** For the client to read the last words, and to close. */
const LINGER_MS = 5_000;

export interface SessionTeller extends StatementTeller, WrittenBehind {
  /** `sample`: the beginning of what is no message. */
  malformed(side: 'client' | 'server', why: string, sample: Buffer): void;
}

export interface PassOnDeps {
  client: Duplex;
  /** What the client has sent already. */
  first: Buffer;
  signedIn: SignedIn;
  /** The key for cancelling that the client is told; undefined where the server gave none. */
  ownKey: Buffer | undefined;
  teller: SessionTeller;
  /** The beginning of each result is told. */
  isSampled?: boolean;
  /** Cancels at the server what runs there. */
  cancel(): Promise<void>;
}

export function passOn({ client, first, signedIn, ownKey, teller, isSampled = false, cancel }: PassOnDeps): PassedOn {
  const { server } = signedIn;
  let isFinishing = false;
  let isOver = false;
  /** What the client was given ends where a message does. */
  let isWhole = true;
  const { promise: over, resolve: done } = Promise.withResolvers<void>();
  const { promise: boundary, resolve: reachedBoundary } = Promise.withResolvers<void>();

  const statements = new Statements(
    teller,
    { full: () => toServer.halt(), room: () => toServer.resume() },
    { standardStrings: signedIn.standardStrings, isSampled },
  );

  const toServer = new Flow({
    from: client,
    to: server,
    look(piece) {
      statements.client.feed(piece);
      waitForTelling(teller, toServer);
      return piece;
    },
    ended: (wrong) => leave('client', wrong),
  });
  const toClient = new Flow({
    from: server,
    to: client,
    look(piece) {
      // Up to the end of what has begun: behind it, the client is told why it is over.
      if (isFinishing) {
        const rest = piece.subarray(0, statements.server.feedRest(piece));
        isWhole = statements.server.isBetween;
        return rest;
      }
      statements.server.feed(piece);
      // Thousands may be on their way: what they are answered is told at no other pace than it is written.
      if (isSampled) waitForTelling(teller, toClient);
      isWhole = statements.server.isBetween;
      return piece;
    },
    isLast: () => isFinishing && statements.server.isBetween,
    ended: (wrong) => leave('server', wrong),
  });

  function leave(side: 'client' | 'server', wrong: { error: Error; piece: Buffer } | undefined): void {
    if (isOver) return;
    if (isFinishing) {
      // The client's side is stopped first, in the middle of whatever the server says.
      if (side === 'server') reachedBoundary();
    } else if (wrong) {
      // What follows it may be anything: neither side hears of it.
      teller.malformed(side, wrong.error.message, wrong.piece.subarray(0, SAMPLE_BYTES));
      const who = side === 'client' ? 'your client' : 'the database';
      finish(fatal(PROTOCOL_VIOLATION, `${who} sent ${wrong.error.message}`));
    } else if (side === 'server' || server.destroyed) finish();
    else if (statements.isBusy && !statements.hasSaidGoodbye) void abandon();
    else if (client.destroyed) finish();
    // Says no more, and still listens.
    else server.end();
  }

  /** No client of this protocol goes without a word: it has died, and the server would work on for nobody. */
  async function abandon(): Promise<void> {
    isFinishing = true;
    await Promise.race([cancel().catch(() => {}), sleep(FINISH_MS)]);
    finish();
  }

  /** `last` is what the client hears, where it is between messages. */
  function finish(last?: Buffer): void {
    if (isOver) return;
    isOver = true;
    toServer.stop();
    toClient.stop();
    if (isWhole) client.end(last);
    else client.destroy();
    setTimeout(() => client.destroy(), LINGER_MS).unref();
    client.resume();
    server.destroy();
    statements.close();
    done();
  }

  client.write(
    Buffer.concat([authenticationOk(), signedIn.welcome, ownKey ? message('K', ownKey) : Buffer.alloc(0), READY]),
  );
  toClient.start(signedIn.rest);
  if (!isOver) toServer.start(first);

  return {
    over,
    isBusy: () => !isOver && statements.isBusy,
    runningMs: () => (isOver ? 0 : statements.runningMs),
    async end(reason) {
      if (isOver || isFinishing) return await over;
      isFinishing = true;
      const cancelled = statements.isBusy ? cancel().catch(() => {}) : undefined;
      toServer.stop();
      if (!statements.server.isBetween) await Promise.race([boundary, sleep(FINISH_MS)]);
      // The server is told before its connection is gone: it would go on otherwise until it wants to say something.
      await Promise.race([cancelled, sleep(FINISH_MS)]);
      finish(fatal(ADMIN_SHUTDOWN, reason));
    },
  };
}
