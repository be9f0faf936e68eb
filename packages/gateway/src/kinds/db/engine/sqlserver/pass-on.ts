/** A session with SQL Server from the moment both sides are ready: bytes pass as they came, and both directions are looked at. */
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Flow } from '../flow.ts';
import type { PassedOn, WrittenBehind } from '../passed-on.ts';
import { waitForTelling } from '../wait-for-telling.ts';
import { ATTENTION, errorReply } from './packets.ts';
import { ERRORS, type RequestRules, Requests, type RequestTeller } from './requests.ts';
import type { SignedIn } from './sign-in.ts';

/** How long an answer that has begun may take to its end, and a cancelled request to its own, before the reason is said. */
const FINISH_MS = 1_000;
const SAMPLE_BYTES = 256;
const LINGER_MS = 5_000;
const NOTHING = Buffer.alloc(0);

export interface SessionTeller extends RequestTeller, WrittenBehind {
  malformed(side: 'client' | 'server', why: string, sample: Buffer): void;
}

export interface PassOnDeps {
  client: Duplex;
  first: Buffer;
  signedIn: SignedIn;
  teller: SessionTeller;
  rules: RequestRules;
}

export function passOn({ client, first, signedIn, teller, rules }: PassOnDeps): PassedOn {
  const { server } = signedIn;
  let isFinishing = false;
  let isOver = false;
  /** Part of an answer has gone to the client: it hears the rest of it. */
  let isAnswering = false;
  const { promise: over, resolve: done } = Promise.withResolvers<void>();
  const { promise: boundary, resolve: reachedBoundary } = Promise.withResolvers<void>();
  const requests = new Requests(
    teller,
    rules,
    (bytes) => toClient.put(bytes, toServer),
    (database) => void end(`the session is in the database '${database}' now, which no role gives you`),
  );
  const toServer = new Flow({
    from: client,
    to: server,
    look(piece) {
      const passed = requests.lookAtClient(piece);
      waitForTelling(teller, toServer);
      return passed;
    },
    ended: (wrong) => leave('client', wrong),
  });
  const toClient = new Flow({
    from: server,
    to: client,
    look(piece) {
      const wasAnswering = isAnswering;
      requests.server.look(piece);
      isAnswering = !requests.server.isBetween;
      // An answer that begins now is the end of what was cancelled: the reason is said in its stead.
      return isFinishing && !wasAnswering ? NOTHING : piece;
    },
    isLast: () => isFinishing && requests.server.isBetween && !requests.isBusy,
    ended: (wrong) => leave('server', wrong),
  });

  function leave(side: 'client' | 'server', wrong: { error: Error; piece: Buffer } | undefined): void {
    if (isOver) return;
    if (isFinishing) {
      if (side === 'server') reachedBoundary();
    } else if (wrong) {
      teller.malformed(side, wrong.error.message, wrong.piece.subarray(0, SAMPLE_BYTES));
      const who = side === 'client' ? 'your client' : 'the database';
      finish(ERRORS.malformed, `${who} sent ${wrong.error.message}`);
    } else if (side === 'server' || server.destroyed || client.destroyed) finish();
    else if (requests.isBusy) void abandon();
    else server.end();
  }

  /** The client has died, and the server would work on for nobody. */
  async function abandon(): Promise<void> {
    isFinishing = true;
    cancel();
    await Promise.race([boundary, sleep(FINISH_MS)]);
    finish();
  }

  function cancel(): void {
    if (!requests.isInBulk && !server.destroyed && requests.cancel()) server.write(ATTENTION);
  }

  function finish(number?: number, words = ''): void {
    if (isOver) return;
    isOver = true;
    toServer.stop();
    toClient.stop();
    if (isAnswering) client.destroy();
    else client.end(number === undefined ? undefined : errorReply(number, words, true));
    setTimeout(() => client.destroy(), LINGER_MS).unref();
    client.resume();
    server.destroy();
    requests.close();
    done();
  }

  async function end(reason: string): Promise<void> {
    if (isOver || isFinishing) return await over;
    isFinishing = true;
    const isBusy = requests.isBusy;
    toServer.stop();
    if (isBusy) cancel();
    if (isBusy || isAnswering) await Promise.race([boundary, sleep(FINISH_MS)]);
    finish(ERRORS.ended, reason);
  }

  client.write(signedIn.welcome);
  toClient.start(signedIn.rest);
  if (!isOver) toServer.start(first);
  return {
    over,
    isBusy: () => !isOver && requests.isBusy,
    runningMs: () => (isOver ? 0 : requests.runningMs),
    end,
  };
}
