/** A MySQL session from the moment both sides are ready: bytes pass as they came, and both directions are looked at. */
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Flow } from '../flow.ts';
import type { PassedOn, WrittenBehind } from '../passed-on.ts';
import { waitForTelling } from '../wait-for-telling.ts';
import { askForKilled } from './kill-meant.ts';
import { errorPacket, packet } from './packets.ts';
import type { SignedIn } from './sign-in.ts';
import { ERROR_CODES, type StatementRules, Statements, type StatementTeller } from './statements.ts';

/** How long a packet that has begun may take to its end, before the reason is said. */
const FINISH_MS = 1_000;
/** Of what was no packet, for the audit. */
const SAMPLE_BYTES = 256;
/** For the client to read the last words, and to close. */
const LINGER_MS = 5_000;
const NOTHING = Buffer.alloc(0);

export interface SessionTeller extends StatementTeller, WrittenBehind {
  /** `sample`: the beginning of what is no packet. */
  malformed(side: 'client' | 'server', why: string, sample: Buffer): void;
}

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
  let isFinishing = false;
  let isOver = false;
  const { promise: over, resolve: done } = Promise.withResolvers<void>();
  const { promise: boundary, resolve: reachedBoundary } = Promise.withResolvers<void>();
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
      if (isFinishing) return statements.lookAtRest(piece);
      const passed = statements.lookAtServer(piece);
      // Thousands may be on their way: what they are answered is told at no other pace than it is written.
      if (isSampled) waitForTelling(teller, toClient);
      return passed;
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
      finish(ERROR_CODES.malformed, `${who} sent ${wrong.error.message}`);
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

  /** The words are what the client hears, where it is between packets. */
  function finish(code?: number, words = ''): void {
    if (isOver) return;
    isOver = true;
    toServer.stop();
    toClient.stop();
    const last = code === undefined ? undefined : errorPacket(statements.nextSequence, code, words);
    if (statements.isBetween) client.end(last);
    else client.destroy();
    setTimeout(() => client.destroy(), LINGER_MS).unref();
    client.resume();
    server.destroy();
    statements.close();
    done();
  }

  client.write(packet(next, signedIn.welcome));
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
      finish(ERROR_CODES.shutdown, reason);
    },
  };
}
