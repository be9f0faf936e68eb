/** A MySQL session from the moment both sides are ready: bytes pass as they came, and both directions are looked at. */
import type { Duplex } from 'node:stream';
import { Ending, type MalformedTeller, type Side, soon } from '../ending.ts';
import { Flow } from '../flow.ts';
import type { PassedOn } from '../passed-on.ts';
import { waitForTelling } from '../wait-for-telling.ts';
import { askForKilled } from './kill-meant.ts';
import { errorPacket, packet } from './packets.ts';
import type { SignedIn } from './sign-in.ts';
import { ERROR_CODES, type StatementRules, Statements, type StatementTeller } from './statements.ts';

const NOTHING = Buffer.alloc(0);

export interface SessionTeller extends StatementTeller, MalformedTeller {}

export interface PassOnDeps {
  client: Duplex;
  /** What the client has sent already. */
  first: Buffer;
  /** The number of the packet that tells the client that it is in. */
  next: number;
  signedIn: SignedIn;
  teller: SessionTeller;
  rules: StatementRules;
  /** The beginnings of results are told. */
  isSampled?: boolean;
  /** Cancels at the server what runs there. */
  cancel(): Promise<void>;
}

export function passOn({
  client,
  first,
  next,
  signedIn,
  teller,
  rules,
  isSampled = false,
  cancel,
}: PassOnDeps): PassedOn {
  const { server, capabilities, backslashes } = signedIn;
  const killed = askForKilled(rules);
  const statements = new Statements(
    teller,
    rules.threadOf ? { ...rules, threadOf: killed.threadOf } : rules,
    {
      full: () => toServer.halt(),
      room: () => toServer.resume(),
      say: (bytes) => toClient.put(bytes, toServer),
    },
    { capabilities: capabilities.basic, backslashes, isSampled },
  );
  const ending = new Ending({ client, server, teller, work: statements, isWhole: () => statements.isBetween });
  const lastWords = (code: number, words: string) => errorPacket(statements.nextSequence, code, words);
  const toServer = new Flow({
    from: client,
    to: server,
    look(piece) {
      const asked = statements.client.isBetween ? killed.ask(piece) : undefined;
      if (asked) {
        toServer.halt();
        client.unshift(piece);
        void asked.then(() => toServer.resume());
        return NOTHING;
      }
      const passed = statements.lookAtClient(piece);
      waitForTelling(teller, toServer);
      return passed;
    },
    ended: (wrong) => leave('client', wrong),
  });
  const toClient = new Flow({
    from: server,
    to: client,
    // Up to the end of what has begun: behind it, the client is told why it is over.
    look(piece) {
      if (ending.isFinishing) return statements.lookAtRest(piece);
      const passed = statements.lookAtServer(piece);
      // Thousands may be on their way: what they are answered is told at no other pace than it is written.
      if (isSampled) waitForTelling(teller, toClient);
      return passed;
    },
    isLast: () => ending.isFinishing && statements.server.isBetween,
    ended: (wrong) => leave('server', wrong),
  });

  function leave(side: Side, wrong: { error: Error; piece: Buffer } | undefined): void {
    ending.left(side, wrong, {
      malformed: (words) => ending.finish(lastWords(ERROR_CODES.malformed, words)),
      ordinary() {
        if (side === 'server' || server.destroyed) ending.finish();
        else if (statements.isBusy && !statements.hasSaidGoodbye) void ending.abandon(cancel().catch(() => {}));
        else if (client.destroyed) ending.finish();
        // Says no more, and still listens.
        else server.end();
      },
    });
  }

  client.write(packet(next, signedIn.welcome));
  ending.start(toServer, toClient, { first, rest: signedIn.rest });
  return ending.passedOn(async (reason) => {
    const cancelled = statements.isBusy ? cancel().catch(() => {}) : undefined;
    toServer.stop();
    if (!statements.server.isBetween) await ending.boundary();
    // The server is told before its connection is gone: it would go on otherwise until it wants to say something.
    await soon(cancelled);
    ending.finish(lastWords(ERROR_CODES.shutdown, reason));
  });
}
