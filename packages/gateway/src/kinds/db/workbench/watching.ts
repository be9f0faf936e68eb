/** Somebody who has joined the session of a workbench, as contract/sessions/watch-frames.ts says. */
import { randomUUID } from 'node:crypto';
import type { ParticipantMode } from '@gatehouse/contract/sessions/terminal-frames';
import { type WatchOpening, type WatchReply, watchCommand } from '@gatehouse/contract/sessions/watch-frames';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import type { SignedInSocket } from '../../../identity/sockets/signed-in-socket.ts';
import { watchPulse } from '../../../platform/http/heartbeat.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import type { Db } from '../../../platform/storage/tables.ts';
import type { Participant } from '../../../sessions/host/hosted-session.ts';
import { admitJoin, findToJoin, type JoinDeps } from '../../../sessions/host/require-join.ts';
import type { SessionHost } from '../../../sessions/host/session-host.ts';
import { findSession, type SessionEnd } from '../../../sessions/host/session-store.ts';
import { requireProven } from '../../../sessions/page-on-session.ts';
import type { StatementFrame, WatchedSession, WatchedSessions } from './watched-session.ts';

/** Of what somebody does not see while it is frozen. */
const MAX_MISSED = 200;

export interface WatchingDeps extends Omit<JoinDeps, 'host'> {
  db: Db;
  host: Pick<SessionHost, 'get' | 'owner' | 'endBy'>;
  watched: WatchedSessions;
  clusterName: string;
}

export interface WatchingLine {
  opened: SignedInSocket;
  address: string;
  /** Of the database, as the address of the socket has it. */
  name: string;
  /** Asks the person for a second factor; throws why it was not taken. */
  proveFactor(): Promise<void>;
  tell(reply: WatchReply): void;
}

export class Watching {
  readonly #deps: WatchingDeps;
  readonly #line: WatchingLine;
  readonly #id = randomUUID();
  readonly #missed: StatementFrame[] = [];
  #watched: WatchedSession | undefined;
  #mode: ParticipantMode = 'observer';
  #stop = () => {};

  constructor(deps: WatchingDeps, line: WatchingLine) {
    this.#deps = deps;
    this.#line = line;
  }

  /** Throws why not. */
  async begin({ sid, mode }: WatchOpening): Promise<void> {
    const { db, host, clusterName, watched } = this.#deps;
    const { opened, address, name, proveFactor } = this.#line;
    const { caller } = opened;
    const look = async () => {
      const found = host.get(sid)?.session ?? (await findSession(db, clusterName, sid));
      const { kind, resource } = found?.action ?? {};
      return kind === 'db' && resource?.name === name ? found : undefined;
    };
    const { session, mfa } = await findToJoin(this.#deps, { caller, proveFactor }, { sid, mode, look });
    // Whoever types there is there already; from here they would only be counted twice.
    if (session.user === caller.username)
      throw new AppError('denied', 'it is your own session: you see it where you work');
    if (session.ended) {
      this.#over(session.ended);
      return;
    }
    const found = watched.get(sid);
    if (!found)
      throw host.get(sid)
        ? new AppError('not_available', 'this session was opened by a program, where nobody can watch it')
        : new AppError('unavailable', 'no gateway that can be reached from here serves this session at the moment');
    if (opened.socket.readyState === opened.socket.OPEN) this.#enter(found, { mode, mfa, address });
  }

  #enter(watched: WatchedSession, came: Pick<Participant, 'mode' | 'address'> & { mfa: boolean }): void {
    const { mode } = came;
    const { hosted, wanted } = watched;
    const { caller, socket } = this.#line.opened;
    const { session } = hosted;
    this.#watched = watched;
    this.#mode = mode;
    this.#line.tell({
      ...{ type: 'watching', sid: hosted.id, user: session.user, mode, recorded: session.recorded },
      ...{ database: wanted.listed.resource.name, protocol: wanted.listed.spec.protocol, ...wanted.chosen },
      created: new Date(session.created).toISOString(),
    });
    const { username, signInId } = caller;
    const forgetEnd = whenAborted(hosted.signal, () => this.#over(hosted.end));
    if (hosted.end) return;
    hosted.enter({ ...came, id: this.#id, username, signInId, onRemoved: (end) => this.#over(end) });
    const stops = [
      forgetEnd,
      watched.watch((frame) => this.#show(frame)),
      watched.onFlow((flow) => {
        this.#line.tell(flow);
        if (flow.flow === 'live') for (const frame of this.#missed.splice(0)) this.#line.tell(frame);
      }),
    ];
    this.#stop = () => {
      for (const stop of stops) stop();
    };
    // Whoever counts must be there, in whichever mode a role counts them.
    watchPulse(socket);
  }

  /** While it is frozen, for those alone without whom it would be. */
  #show(frame: StatementFrame): void {
    if (this.#watched?.hosted.flow !== 'frozen' || this.#watched.hosted.mayWatch(this.#id)) this.#line.tell(frame);
    else if (this.#missed.length < MAX_MISSED) this.#missed.push(frame);
  }

  /** False: it is not understood. */
  hear(message: unknown): boolean {
    const command = watchCommand.safeParse(message).data;
    if (!command || this.#mode !== 'moderator' || !this.#watched) return false;
    void this.#end(this.#watched, command.reason?.trim()).catch((error: unknown) => {
      const known = error instanceof AppError ? error : undefined;
      this.#over({ cause: 'denied', message: known?.message ?? 'the gateway failed; its log says why' });
    });
    return true;
  }

  /** Who moderated when they came need not any more. */
  async #end({ hosted }: WatchedSession, reason: string | undefined): Promise<void> {
    const { session } = hosted;
    const { caller } = this.#line.opened;
    const proveFactor = async () => requireProven(hosted, this.#id);
    await admitJoin(this.#deps, session, { caller, proveFactor }, 'moderator');
    await this.#deps.host.endBy(caller, session, reason);
  }

  closed(code: number): void {
    this.#stop();
    this.#watched?.hosted.leave(this.#id, code === 1000 || code === 1001 ? 'left' : 'lost');
    this.#watched = undefined;
  }

  #over(end: SessionEnd | undefined): void {
    const { cause, message } = end ?? { cause: 'closed', message: 'the session is over' };
    this.#line.tell({ type: 'ended', cause, message });
    this.#line.opened.socket.close(1000, 'ended');
  }
}
