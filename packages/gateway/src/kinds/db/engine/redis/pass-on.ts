/** A Redis session from the moment the server is ready: bytes pass as they came, but for commands that are refused. */
import type { Duplex } from 'node:stream';
import { Ending, FINISH_MS, type MalformedTeller, SAMPLE_BYTES } from '../ending.ts';
import { Flow } from '../flow.ts';
import type { PassedOn } from '../passed-on.ts';
import { waitForTelling } from '../wait-for-telling.ts';
import { Commands, type CommandTeller } from './commands.ts';
import { errorReply } from './resp.ts';
import type { SignedIn } from './sign-in.ts';

export interface SessionTeller extends CommandTeller, MalformedTeller {}

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
  /** What the client hears when everything it asked before is answered. */
  let lastWords: Buffer | undefined;

  const commands = new Commands({
    teller,
    mayUse,
    mayUseAll,
    isReadOnly,
    isSampled,
    full: () => toServer.halt(),
    room: () => toServer.resume(),
  });

  const ending = new Ending({ client, server, teller, work: commands, isWhole: () => commands.server.isBetween });

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
      const passed = ending.isFinishing ? commands.server.feedRest(piece) : commands.server.feed(piece);
      // Thousands may be on their way: what they are answered is told at no other pace than it is written.
      if (isSampled) waitForTelling(teller, toClient);
      return passed;
    },
    isLast() {
      if (commands.server.wrong) return true;
      return commands.server.isBetween && (ending.isFinishing || (lastWords !== undefined && !commands.isBusy));
    },
    ended: () => leaveServer(),
  });

  function leaveClient(): void {
    if (ending.isOver || ending.isFinishing) return;
    const { wrong } = commands.client;
    if (wrong) {
      teller.malformed('client', wrong.error.message, wrong.sample);
      lastWords = errorReply(`ERR ${wrong.error.message}`);
      // As the server does it: what came before has its answers first.
      if (!commands.isBusy && commands.server.isBetween) ending.finish(lastWords);
      else setTimeout(() => ending.finish(lastWords), FINISH_MS).unref();
    } else if (client.destroyed || server.destroyed) ending.finish();
    // Says no more, and still listens.
    else server.end();
  }

  function leaveServer(): void {
    if (ending.isOver) return;
    const { wrong } = commands.server;
    if (ending.isFinishing) ending.reachedBoundary();
    else if (wrong) {
      // What follows it may be anything: neither side hears of it.
      teller.malformed('server', wrong.error.message, wrong.sample.subarray(0, SAMPLE_BYTES));
      ending.finish(errorReply(`ERR the database sent ${wrong.error.message}`));
    } else ending.finish(lastWords);
  }

  ending.start(toServer, toClient, { first, rest: signedIn.rest });

  return ending.passedOn(async (reason) => {
    toServer.stop();
    if (!commands.server.isBetween) await ending.boundary();
    ending.finish(errorReply(`ERR ${reason}`));
  });
}
