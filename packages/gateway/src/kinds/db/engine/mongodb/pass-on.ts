/** A MongoDB session from the moment the server is ready: bytes pass as they came, but for commands that are refused. */
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { DbFailure } from '../db-failure.ts';
import { Flow } from '../flow.ts';
import type { PassedOn, WrittenBehind } from '../passed-on.ts';
import { waitForTelling } from '../wait-for-telling.ts';
import { Commands, type CommandTeller } from './commands.ts';
import type { CommandRules } from './judge-command.ts';
import type { SignedIn } from './sign-in.ts';

/** How long an answer that has begun may take to its end, before the reason is said. */
const FINISH_MS = 1_000;
/** Of what was no message, for the audit. */
const SAMPLE_BYTES = 256;
/** For the client to read the last words, and to close. */
const LINGER_MS = 5_000;
/** What a server says of work that an administrator ended. */
const INTERRUPTED = { code: 11601, codeName: 'Interrupted' };
const PROTOCOL_ERROR = { code: 17, codeName: 'ProtocolError' };
/** Answers of our own that wait for the server to end one of its; with more, the client waits. */
const MAX_REPLIES = 64;
const UNAUTHORIZED = { code: 13, codeName: 'Unauthorized' };

export interface SessionTeller extends CommandTeller, WrittenBehind {
  /** `sample`: the beginning of what is no message. */
  malformed(side: 'client' | 'server', why: string, sample: Buffer): void;
}

export interface PassOnDeps {
  client: Duplex;
  /** What the client has sent already, behind its greeting. */
  first: Buffer;
  signedIn: SignedIn;
  teller: SessionTeller;
  rules: CommandRules;
  /** The beginnings of answers are told. */
  isSampled?: boolean;
}

export function passOn({ client, first, signedIn, teller, rules, isSampled = false }: PassOnDeps): PassedOn {
  const { server } = signedIn;
  let isFinishing = false;
  let isOver = false;
  /** Of our own, until the client is between two answers. */
  let replies: Buffer[] = [];
  const { promise: over, resolve: done } = Promise.withResolvers<void>();
  const { promise: boundary, resolve: reachedBoundary } = Promise.withResolvers<void>();

  const commands = new Commands({
    teller,
    rules,
    isSampled,
    reply(message) {
      replies.push(message);
      if (commands.server.isBetween) toClient.put(takeReplies(), toServer);
      else if (replies.length === MAX_REPLIES) toServer.halt();
    },
    full: () => toServer.halt(),
    room: () => toServer.resume(),
  });
  const takeReplies = () => {
    const all = Buffer.concat(replies);
    if (replies.length >= MAX_REPLIES) toServer.resume();
    replies = [];
    return all;
  };

  const toServer = new Flow({
    from: client,
    to: server,
    look(piece) {
      const passed = commands.client.feed(piece);
      waitForTelling(teller, toServer);
      return passed;
    },
    ended: (wrong) => leave('client', wrong),
  });
  const toClient = new Flow({
    from: server,
    to: client,
    look(piece) {
      const end = commands.server.feed(piece, isFinishing);
      // Many may be on their way: what they are answered is told at no other pace than it is written.
      if (isSampled) waitForTelling(teller, toClient);
      if (isFinishing) return end < 0 ? piece : piece.subarray(0, end);
      if (end < 0 || replies.length === 0) return piece;
      return Buffer.concat([piece.subarray(0, end), takeReplies(), piece.subarray(end)]);
    },
    isLast: () => isFinishing && commands.server.isBetween,
    ended: (wrong) => leave('server', wrong),
  });

  function leave(side: 'client' | 'server', wrong: { error: Error; piece: Buffer } | undefined): void {
    if (isOver) return;
    if (isFinishing) {
      // The client's side is stopped first, in the middle of whatever the server says.
      if (side === 'server') reachedBoundary();
    } else if (wrong?.error instanceof DbFailure && wrong.error.kind === 'refused')
      finish(commands.lastWords({ ...UNAUTHORIZED, errmsg: wrong.error.message }));
    else if (wrong) {
      // What follows it may be anything: neither side hears of it.
      teller.malformed(side, wrong.error.message, wrong.piece.subarray(0, SAMPLE_BYTES));
      const who = side === 'client' ? 'your client' : 'the database';
      const errmsg = `${who} sent ${wrong.error.message}`;
      // In the middle of an answer that was no answer, nothing is said.
      finish(side === 'client' ? commands.lastWords({ ...PROTOCOL_ERROR, errmsg }) : undefined);
    } else finish();
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

  client.write(signedIn.greeting);
  toClient.start(signedIn.rest);
  if (!isOver) toServer.start(first);

  return {
    over,
    isBusy: () => !isOver && commands.isBusy,
    runningMs: () => (isOver ? 0 : commands.runningMs),
    /** What runs at the server ends with the connection. */
    async end(reason) {
      if (isOver || isFinishing) return await over;
      isFinishing = true;
      toServer.stop();
      if (!commands.server.isBetween) await Promise.race([boundary, sleep(FINISH_MS)]);
      finish(commands.lastWords({ ...INTERRUPTED, errmsg: reason }));
    },
  };
}
