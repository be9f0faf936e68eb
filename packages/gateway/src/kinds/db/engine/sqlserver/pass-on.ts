/** A session with SQL Server from the moment both sides are ready: bytes pass as they came, and both directions are looked at. */
import type { Duplex } from 'node:stream';
import { Ending, type MalformedTeller, type Side } from '../ending.ts';
import { Flow } from '../flow.ts';
import type { PassedOn } from '../passed-on.ts';
import { waitForTelling } from '../wait-for-telling.ts';
import { ATTENTION, errorReply } from './packets.ts';
import { ERRORS, type RequestRules, Requests, type RequestTeller } from './requests.ts';
import type { SignedIn } from './sign-in.ts';

const NOTHING = Buffer.alloc(0);

export interface SessionTeller extends RequestTeller, MalformedTeller {}

export interface PassOnDeps {
  client: Duplex;
  first: Buffer;
  signedIn: SignedIn;
  teller: SessionTeller;
  rules: RequestRules;
}

export function passOn({ client, first, signedIn, teller, rules }: PassOnDeps): PassedOn {
  const { server } = signedIn;
  /** Part of an answer has gone to the client: it hears the rest of it. */
  let isAnswering = false;
  const requests = new Requests(
    teller,
    rules,
    (bytes) => toClient.put(bytes, toServer),
    (database) => void passed.end(`the session is in the database '${database}' now, which no role gives you`),
  );
  const ending = new Ending({ client, server, teller, work: requests, isWhole: () => !isAnswering });
  const lastWords = (number: number, words: string) => errorReply(number, words, true);
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
      return ending.isFinishing && !wasAnswering ? NOTHING : piece;
    },
    isLast: () => ending.isFinishing && requests.server.isBetween && !requests.isBusy,
    ended: (wrong) => leave('server', wrong),
  });

  function leave(side: Side, wrong: { error: Error; piece: Buffer } | undefined): void {
    ending.left(side, wrong, {
      malformed: (words) => ending.finish(lastWords(ERRORS.malformed, words)),
      ordinary() {
        if (side === 'server' || server.destroyed || client.destroyed) ending.finish();
        else if (requests.isBusy) {
          cancel();
          void ending.abandon(ending.boundary());
        } else server.end();
      },
    });
  }

  function cancel(): void {
    if (!requests.isInBulk && !server.destroyed && requests.cancel()) server.write(ATTENTION);
  }

  const passed = ending.passedOn(async (reason) => {
    const isBusy = requests.isBusy;
    toServer.stop();
    if (isBusy) cancel();
    if (isBusy || isAnswering) await ending.boundary();
    ending.finish(lastWords(ERRORS.ended, reason));
  });

  client.write(signedIn.welcome);
  ending.start(toServer, toClient, { first, rest: signedIn.rest });
  return passed;
}
