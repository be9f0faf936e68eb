/** A MongoDB session from the moment the server is ready: bytes pass as they came, but for commands that are refused. */
import type { Duplex } from 'node:stream';
import { DbFailure } from '../db-failure.ts';
import { Ending, type MalformedTeller, type Side } from '../ending.ts';
import { Flow } from '../flow.ts';
import type { PassedOn } from '../passed-on.ts';
import { waitForTelling } from '../wait-for-telling.ts';
import { Commands, type CommandTeller } from './commands.ts';
import type { CommandRules } from './judge-command.ts';
import type { SignedIn } from './sign-in.ts';

/** What a server says of work that an administrator ended. */
const INTERRUPTED = { code: 11601, codeName: 'Interrupted' };
const PROTOCOL_ERROR = { code: 17, codeName: 'ProtocolError' };
/** Answers of our own that wait for the server to end one of its; with more, the client waits. */
const MAX_REPLIES = 64;
const UNAUTHORIZED = { code: 13, codeName: 'Unauthorized' };

export interface SessionTeller extends CommandTeller, MalformedTeller {}

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
  /** Of our own, until the client is between two answers. */
  let replies: Buffer[] = [];

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

  const ending = new Ending({ client, server, teller, work: commands, isWhole: () => commands.server.isBetween });

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
      const end = commands.server.feed(piece, ending.isFinishing);
      // Many may be on their way: what they are answered is told at no other pace than it is written.
      if (isSampled) waitForTelling(teller, toClient);
      if (ending.isFinishing) return end < 0 ? piece : piece.subarray(0, end);
      if (end < 0 || replies.length === 0) return piece;
      return Buffer.concat([piece.subarray(0, end), takeReplies(), piece.subarray(end)]);
    },
    isLast: () => ending.isFinishing && commands.server.isBetween,
    ended: (wrong) => leave('server', wrong),
  });

  function leave(side: Side, wrong: { error: Error; piece: Buffer } | undefined): void {
    if (!ending.isFinishing && wrong?.error instanceof DbFailure && wrong.error.kind === 'refused') {
      ending.finish(commands.lastWords({ ...UNAUTHORIZED, errmsg: wrong.error.message }));
      return;
    }
    ending.left(side, wrong, {
      // In the middle of an answer that was no answer, nothing is said.
      malformed: (errmsg) =>
        ending.finish(side === 'client' ? commands.lastWords({ ...PROTOCOL_ERROR, errmsg }) : undefined),
      ordinary: () => ending.finish(),
    });
  }

  client.write(signedIn.greeting);
  ending.start(toServer, toClient, { first, rest: signedIn.rest });

  // What runs at the server ends with the connection.
  return ending.passedOn(async (reason) => {
    toServer.stop();
    if (!commands.server.isBetween) await ending.boundary();
    ending.finish(commands.lastWords({ ...INTERRUPTED, errmsg: reason }));
  });
}
