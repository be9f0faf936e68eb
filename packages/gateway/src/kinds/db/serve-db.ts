/** Serves one session with a database, for whichever door the client came through: signs in, passes on, and tells each statement. */
import type { Duplex } from 'node:stream';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import type { EventStream } from '../../platform/audit/event-stream.ts';
import type { Log } from '../../platform/std/log.ts';
import type { Reach } from '../../reach/reach.ts';
import type { HostedSession } from '../../sessions/host/hosted-session.ts';
import type { StatementSink } from '../../sessions/statements/statement-recorder.ts';
import type { UsedApproval } from './approval/approval-store.ts';
import type { DbRecordings } from './db-recordings.ts';
import type { DbStates } from './db-states.ts';
import { type DbProofs, dbTerms, dialDb } from './dial-db.ts';
import { DbFailure } from './engine/db-failure.ts';
import type { MadeUsers } from './made/made-users.ts';
import { SERVE_PROTOCOLS } from './serve-protocols.ts';
import type { GreetedClient, Served } from './served.ts';
import type { ServedKeys } from './served-keys.ts';
import { tellRefusedByDb } from './session-audit.ts';
import { type StatementTelling, tellStatements } from './tell-statements.ts';
import type { WantedDb } from './wanted-db.ts';

export interface ServeDbDeps extends DbProofs {
  reach: Pick<Reach, 'dial'>;
  events: Pick<EventStream, 'write'>;
  keys: ServedKeys;
  recordings: DbRecordings;
  states: Pick<DbStates, 'learning' | 'signedIn'>;
  made: Pick<MadeUsers, 'serve'>;
  log: Log;
  now: () => number;
}

/** For the client to read the last words, and to leave by itself. */
const LINGER_MS = 5_000;

const AGENT_LOST = 'the agent that it was reached by has gone: connect again';

/** As events call it. */
export type DbDoor = 'tunnel' | 'native' | 'web';

export interface ServedClient {
  door: DbDoor;
  /** Its bytes; answered before the database is dialled: a client hears in its own protocol why nothing came of it. */
  client: Duplex;
  hosted: HostedSession;
  greeted?: GreetedClient | undefined;
  /** Not the first of its session: what becomes of it is the client's matter alone. */
  isFurther?: boolean;
  /** For what somebody has approved, and nothing else. */
  approval?: UsedApproval | undefined;
  /** Beside the recording: for those who watch. */
  watched?: { over(recorder: StatementSink | undefined): StatementSink };
}

/** Throws where nobody could sign in. What goes wrong afterwards is told to the client and the log, and ends the session. */
export function serveDb(deps: ServeDbDeps, { listed, chosen, rights }: WantedDb, served: ServedClient): Served {
  const { reach, events, keys, recordings, states, log, now } = deps;
  const { client, hosted, door, greeted, isFurther = false, watched, approval } = served;
  const { session } = hosted;
  const { protocol, values, readOnly, limits } = listed.spec;
  const serve = SERVE_PROTOCOLS[protocol];
  const who = { user: session.user, session: session.id };
  let telling: StatementTelling | undefined;
  const failed = () => hosted.finish({ cause: 'failed', message: 'what is done there cannot be written down' });
  // What was approved comes on a connection of its own.
  const isHeld = () => hosted.options.dbReadOnly || (hosted.options.dbApproval && !approval);
  const onlyReads = readOnly || isHeld();
  // What the server was told at the sign-in stays so: under other terms, it is opened anew.
  const detach = hosted.parts.attach({
    onTerms() {
      if (isHeld() && !onlyReads)
        hosted.finish({ cause: 'denied', message: 'a role of yours lets you only read there now: connect again' });
    },
  });
  const recording = recordings.attach(hosted);
  const made = rights.made() && deps.made.serve(listed, chosen, { session, wanted: () => rights.takeMade() });
  let isDialled = false;
  let isIn = false;
  let lost: string | undefined;
  /** Before the protocol sees that nothing comes any more: the client hears why, and not that the database hung up. */
  const watch = (stream: Duplex) => {
    const gone = () => {
      if (!isIn || stream.readableEnded || hosted.end) return;
      lost = AGENT_LOST;
      void running.end(AGENT_LOST);
    };
    stream.prependOnceListener('error', gone);
    stream.prependOnceListener('close', gone);
  };
  const running = serve({
    ...{ client, greeted },
    terms: states.learning(listed, made?.terms ?? dbTerms(deps, listed, chosen)),
    async dial() {
      const stream = await whileOpened(recording.ready, dialDb(reach, listed, { who }));
      if (listed.dialledBy === 'agents' && !isDialled) watch(stream);
      // Later ones only cancel.
      isDialled = true;
      return stream;
    },
    keys,
    limits: { ...limits, readOnly: onlyReads },
    isSampled: hosted.options.recordResults && session.recorded,
    connected(learned = {}) {
      isIn = true;
      states.signedIn(listed, learned);
      hosted.connected();
    },
    mayUse: (database) => rights.mayUse(database),
    mayUseAll: () => rights.mayUseAll(),
    teller(backend) {
      const recorder = watched ? watched.over(recording.recorder) : recording.recorder;
      telling = tellStatements({ events, session, door, approval, backend, recorder, values, log, now, failed });
      return telling;
    },
  });
  const over = running.over
    .then(() => {
      if (lost !== undefined) return hosted.finish({ cause: 'failed', message: lost });
      // A workbench lets go of one to stop what runs there, or with a tab, and opens others beside the first.
      if (door === 'web' && (isFurther || client.readableEnded)) return;
      // A client that keeps its side open has nothing more to hear.
      const closed = { cause: 'closed', message: 'the database closed the connection' } as const;
      setTimeout(() => hosted.finish(closed), LINGER_MS).unref();
    })
    .catch(async (error: unknown) => {
      const why = error instanceof DbFailure ? error.kind : 'gone';
      if (why === 'left') hosted.finish({ cause: 'closed', message: 'the client left' });
      if (why === 'unrecorded') hosted.finish({ cause: 'unrecorded', message: errorMessage(error) });
      // Nothing was refused by the database, nor may it be said in its name.
      if (why === 'left' || why === 'ended' || why === 'unrecorded') return;
      await tellRefusedByDb(events, session, errorMessage(error)).catch((lost: unknown) =>
        log.error({ error: lost, session: session.id }, 'a refusal could not be told'),
      );
      if (!isFurther) hosted.finish({ cause: 'failed', message: errorMessage(error) });
    })
    .finally(() => {
      // A session may have many connections, one after the other: none leaves anything behind.
      detach();
      made?.left();
      recording.detach();
      return telling?.close();
    });
  return { ...running, over };
}

/** The recording is opened meanwhile: nothing passes before it is there. */
async function whileOpened(ready: Promise<void>, dialling: Promise<Duplex>): Promise<Duplex> {
  // It may fail before anybody waits for it: that would be nobody's, and end the process.
  dialling.catch(() => {});
  try {
    await ready;
  } catch (error) {
    void dialling.then(
      (dialled) => dialled.destroy(),
      () => {},
    );
    throw error;
  }
  return await dialling;
}
