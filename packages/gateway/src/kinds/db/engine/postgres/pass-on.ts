/** A PostgreSQL session from the moment both sides are ready: bytes pass as they came, and both directions are looked at. */
import type { Duplex } from 'node:stream';
import { Ending, type MalformedTeller, type Side, soon } from '../ending.ts';
import { Flow } from '../flow.ts';
import type { PassedOn } from '../passed-on.ts';
import { waitForTelling } from '../wait-for-telling.ts';
import { authenticationOk, fatal, message } from './messages.ts';
import type { SignedIn } from './sign-in.ts';
import { Statements, type StatementTeller } from './statements.ts';

/** The server ends a session for an administrator's reasons with it. */
const ADMIN_SHUTDOWN = '57P01';
const PROTOCOL_VIOLATION = '08P01';
const READY = message('Z', Buffer.from('I'));

export interface SessionTeller extends StatementTeller, MalformedTeller {}

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
  /** What the client was given ends where a message does. */
  let isWhole = true;

  const statements = new Statements(
    teller,
    { full: () => toServer.halt(), room: () => toServer.resume() },
    { standardStrings: signedIn.standardStrings, isSampled },
  );

  const ending = new Ending({ client, server, teller, work: statements, isWhole: () => isWhole });

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
      if (ending.isFinishing) {
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
    isLast: () => ending.isFinishing && statements.server.isBetween,
    ended: (wrong) => leave('server', wrong),
  });

  function leave(side: Side, wrong: { error: Error; piece: Buffer } | undefined): void {
    ending.left(side, wrong, {
      malformed: (words) => ending.finish(fatal(PROTOCOL_VIOLATION, words)),
      ordinary() {
        if (side === 'server' || server.destroyed) ending.finish();
        else if (statements.isBusy && !statements.hasSaidGoodbye) void ending.abandon(cancel().catch(() => {}));
        else if (client.destroyed) ending.finish();
        // Says no more, and still listens.
        else server.end();
      },
    });
  }

  client.write(
    Buffer.concat([authenticationOk(), signedIn.welcome, ownKey ? message('K', ownKey) : Buffer.alloc(0), READY]),
  );
  ending.start(toServer, toClient, { first, rest: signedIn.rest });

  return ending.passedOn(async (reason) => {
    const cancelled = statements.isBusy ? cancel().catch(() => {}) : undefined;
    toServer.stop();
    if (!statements.server.isBetween) await ending.boundary();
    // The server is told before its connection is gone: it would go on otherwise until it wants to say something.
    await soon(cancelled);
    ending.finish(fatal(ADMIN_SHUTDOWN, reason));
  });
}
