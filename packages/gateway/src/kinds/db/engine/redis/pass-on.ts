/** A Redis session from the moment the server is ready: bytes pass as they came, but for commands that are refused. */
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Flow } from '../flow.ts';
import type { PassedOn, WrittenBehind } from '../passed-on.ts';
import { waitForTelling } from '../wait-for-telling.ts';
import { Commands, type CommandTeller } from './commands.ts';
import { errorReply } from './resp.ts';
import type { SignedIn } from './sign-in.ts';

/** How long an answer that has begun may take to its end, before the reason is said. */
const FINISH_MS = 1_000;
/** Of what was no message, for the audit. */
const SAMPLE_BYTES = 256;
/** For the client to read the last words, and to close. */
const LINGER_MS = 5_000;

export interface SessionTeller extends CommandTeller, WrittenBehind {
  /** `sample`: the beginning of what is no message. */
  malformed(side: 'client' | 'server', why: string, sample: Buffer): void;
}

export interface PassOnDeps {
  client: Duplex;
  /** What the client has sent already. */
  first: Buffer;
  signedIn: SignedIn;
  teller: SessionTeller;
  /** Whether this connection may use the database with this number. */
  mayUse(database: string): boolean;
  /** Whether there is none that it may not. */
  mayUseAll(): boolean;
  isReadOnly?: boolean;
  /** The beginnings of answers are told. */
  isSampled?: boolean;
}

export function passOn(deps: PassOnDeps): PassedOn {
  const { client, first, signedIn, teller, mayUse, mayUseAll, isReadOnly = false, isSampled = false } = deps;
  const { server } = signedIn;
  let isFinishing = false;
  let isOver = false;
  /** What the client hears when everything it asked before is answered. */
  let lastWords: Buffer | undefined;
  const { promise: over, resolve: done } = Promise.withResolvers<void>();
  const { promise: boundary, resolve: reachedBoundary } = Promise.withResolvers<void>();

  const commands = new Commands({
    teller,
    mayUse,
    mayUseAll,
    isReadOnly,
    isSampled,
    full: () => toServer.halt(),
    room: () => toServer.resume(),
  });

  const toServer = new Flow({
    from: client,
    to: server,
    look(piece) {
      const passed = commands.client.feed(piece);
      waitForTelling(teller, toServer);
      return passed;
    },
    isLast: () => commands.client.wrong !== undefined,
    ended: () => leaveClient(),
  });
  const toClient = new Flow({
    from: server,
    to: client,
    // Up to the end of what has begun: behind it, the client is told why it is over.
    look(piece) {
      const passed = isFinishing ? commands.server.feedRest(piece) : commands.server.feed(piece);
      // Thousands may be on their way: what they are answered is told at no other pace than it is written.
      if (isSampled) waitForTelling(teller, toClient);
      return passed;
    },
    isLast() {
      if (commands.server.wrong) return true;
      return commands.server.isBetween && (isFinishing || (lastWords !== undefined && !commands.isBusy));
    },
    ended: () => leaveServer(),
  });

  function leaveClient(): void {
    if (isOver || isFinishing) return;
    const { wrong } = commands.client;
    if (wrong) {
      teller.malformed('client', wrong.error.message, wrong.sample);
      lastWords = errorReply(`ERR ${wrong.error.message}`);
      // As the server does it: what came before has its answers first.
      if (!commands.isBusy && commands.server.isBetween) finish(lastWords);
      else setTimeout(() => finish(lastWords), FINISH_MS).unref();
    } else if (client.destroyed || server.destroyed) finish();
    // Says no more, and still listens.
    else server.end();
  }

  function leaveServer(): void {
    if (isOver) return;
    const { wrong } = commands.server;
    if (isFinishing) reachedBoundary();
    else if (wrong) {
      // What follows it may be anything: neither side hears of it.
      teller.malformed('server', wrong.error.message, wrong.sample.subarray(0, SAMPLE_BYTES));
      finish(errorReply(`ERR the database sent ${wrong.error.message}`));
    } else finish(lastWords);
  }

  /** `last` is what the client hears, where it is between answers. */
  function finish(last?: Buffer): void {
    if (isOver) return;
    isOver = true;
    toServer.stop();
    toClient.stop();
    if (commands.server.isBetween) client.end(last);
    else client.destroy();
    setTimeout(() => client.destroy(), LINGER_MS).unref();
    client.resume();
    server.destroy();
    commands.close();
    done();
  }

  toClient.start(signedIn.rest);
  if (!isOver) toServer.start(first);

  return {
    over,
    isBusy: () => !isOver && commands.isBusy,
    runningMs: () => (isOver ? 0 : commands.runningMs),
    async end(reason) {
      if (isOver || isFinishing) return await over;
      isFinishing = true;
      toServer.stop();
      if (!commands.server.isBetween) await Promise.race([boundary, sleep(FINISH_MS)]);
      finish(errorReply(`ERR ${reason}`));
    },
  };
}
