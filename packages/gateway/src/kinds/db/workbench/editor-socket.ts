/** The door of the workbench: one browser tab on one database, as contract/kinds/db/editor.ts says. */
import { type Duplex, duplexPair } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { DB_EDITOR_SOCKET, type EditorReply, editorOpening, editorRequest } from '@gatehouse/contract/kinds/db/editor';
import { type WatchReply, watchFactor, watchOpening } from '@gatehouse/contract/sessions/watch-frames';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { parseJson } from '@gatehouse/contract/std/parse-json';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import type { FastifyRequest } from 'fastify';
import type { RawData, WebSocket } from 'ws';
import { z } from 'zod';
import type { AccessControl } from '../../../access/create-access.ts';
import { principalsFor } from '../../../access/principals-for.ts';
import { sessionOptions } from '../../../access/session-options.ts';
import type { Identity } from '../../../identity/identity.ts';
import type { SignedInSocket } from '../../../identity/sockets/signed-in-socket.ts';
import { SocketFactor } from '../../../identity/sockets/socket-factor.ts';
import type { Sockets } from '../../../identity/sockets/sockets.ts';
import type { Actor } from '../../../platform/http/actor.ts';
import { sendOrCut } from '../../../platform/http/send-or-cut.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import type { HostedSession } from '../../../sessions/host/hosted-session.ts';
import { refusalOf } from '../../../sessions/page-on-session.ts';
import type { Approvals } from '../approval/approvals.ts';
import { canBeAsked } from '../approval/held-back.ts';
import { TakenApprovals } from '../approval/taken-approvals.ts';
import { narrowed } from '../db-list.ts';
import { type OpenDbDeps, openDbSession } from '../open-db.ts';
import { serveDb } from '../serve-db.ts';
import type { Served } from '../served.ts';
import { findWantedDb, type WantedDb } from '../wanted-db.ts';
import type { StatementBook } from './statement-book.ts';
import { tellHeldBack } from './tell-held-back.ts';
import type { BenchRequest, BenchTerms } from './thread/thread-messages.ts';
import type { WatchedSession } from './watched-session.ts';
import { Watching, type WatchingDeps } from './watching.ts';
import type { OpenBench, WorkbenchThread } from './workbench-thread.ts';

/** Not understood; trying again will not help. */
const BAD_MESSAGE = 1008;
/** For what runs to be cancelled at the server, before all is cut. */
const LAST_WORDS_MS = 1_500;
/** On the way to a page that takes nothing: beside data, which waits for the page, only small answers. */
const MAX_UNSENT_BYTES = 16 * 1024 * 1024;

export interface EditorSocketDeps extends OpenDbDeps, Pick<WatchingDeps, 'requireStore' | 'watched'> {
  access: AccessControl;
  identity: Pick<Identity, 'askForFactor' | 'proveAgain'>;
  thread: WorkbenchThread;
  book: StatementBook;
  approvals: Pick<Approvals, 'take'>;
}

export function serveEditorSocket(sockets: Sockets, deps: EditorSocketDeps): void {
  sockets.add(DB_EDITOR_SOCKET, 'hello', (opened, request) => new EditorConnection(deps, opened, request).listen(), {
    refuse: (opened, request, why) => new EditorConnection(deps, opened, request).refuse(why),
  });
}

const FROZEN = 'nothing runs until somebody is back whom a role wants here';
/** What only lets go of something. */
const PASSES_HELD: ReadonlySet<BenchRequest['type']> = new Set(['ack', 'close', 'closeTab']);

const wanted = z.object({ name: z.string().max(253) });

class EditorConnection {
  readonly #deps: EditorSocketDeps;
  readonly #opened: SignedInSocket;
  readonly #socket: WebSocket;
  readonly #request: FastifyRequest;
  readonly #served = new Set<Served>();
  #isAsked = false;
  readonly #factor: SocketFactor;
  #hosted: HostedSession | undefined;
  #bench: OpenBench | undefined;
  #found: WantedDb | undefined;
  readonly #approved = new TakenApprovals();
  /** Those that are being marked as used, by the request that wants them run. */
  readonly #taking = new Map<number, { isCancelled: boolean }>();
  #watching: Watching | undefined;
  #isReady = false;
  /** Held up before it began: the page knows that there is a session. */
  #hasWaited = false;

  constructor(deps: EditorSocketDeps, opened: SignedInSocket, request: FastifyRequest) {
    this.#deps = deps;
    this.#opened = opened;
    this.#socket = opened.socket;
    this.#request = request;
    this.#factor = new SocketFactor({
      ...{ identity: deps.identity, caller: opened.caller, request },
      ask: (challenge) => this.#tell({ type: 'factor', challenge }),
    });
  }

  listen(): void {
    this.#socket.on('message', (data: RawData, isBinary: boolean) => this.#hear(data as Buffer, isBinary));
    this.#socket.on('close', (code) => this.#closed(code));
  }

  refuse(given: unknown): void {
    const requestId = this.#request.id;
    const refusal = refusalOf(given, (error) =>
      this.#deps.log.error({ error, requestId }, 'a workbench cannot be opened'),
    );
    this.#tell({ type: 'refused', ...refusal, requestId });
    this.#socket.close(1000, 'refused');
  }

  #hear(data: Buffer, isBinary: boolean): void {
    const message = isBinary ? undefined : parseJson(data);
    if (!this.#isAsked) {
      this.#begun(message);
      return;
    }
    if (this.#watching) {
      const answer = watchFactor.safeParse(message).data;
      if (answer) this.#factor.answer(answer);
      else if (!this.#watching.hear(message)) this.#misunderstood();
      return;
    }
    const request = editorRequest.safeParse(message).data;
    if (request?.type === 'factor') this.#factor.answer(request);
    else if (request && this.#hosted && this.#isReady) this.#obey(this.#hosted, request);
    else this.#misunderstood();
  }

  /** What the socket is for: work of one's own, or the eyes on somebody else's. */
  #begun(message: unknown): void {
    const opening = editorOpening.safeParse(message).data;
    const joining = watchOpening.safeParse(message).data;
    if (!opening && !joining) {
      this.#misunderstood();
      return;
    }
    this.#isAsked = true;
    this.#opened.asked();
    const begun = opening ? this.#open(opening) : joining && this.#join(joining);
    void begun?.catch((error: unknown) => {
      this.#hosted?.finish({ cause: 'failed', message: errorMessage(error) });
      this.refuse(error);
    });
  }

  async #join(joining: z.output<typeof watchOpening>): Promise<void> {
    const { name } = wanted.parse(this.#request.params);
    this.#watching = new Watching(this.#deps, {
      ...{ opened: this.#opened, address: this.#request.ip, name },
      proveFactor: () => this.#factor.prove(),
      tell: (reply) => this.#tell(reply),
    });
    await this.#watching.begin(joining);
  }

  #obey(hosted: HostedSession, request: Exclude<z.output<typeof editorRequest>, { type: 'factor' }>): void {
    // What was taken by a page that nobody looks at is no sign of a person.
    if (request.type !== 'ack') {
      hosted.active(hosted.id);
      this.#opened.active();
    }
    const { action } = hosted.session;
    const about = { user: hosted.session.user, database: action.resource.name };
    if (isOfBook(request)) {
      const { id } = request;
      this.#deps.book.answer(about, request).then(
        (answer) => this.#tell({ ...answer, id }),
        (given: unknown) => this.#fail(id, given, 'own statements cannot be kept'),
      );
    } else if (request.type === 'cancel' && this.#cancelTaking(request.id)) return;
    else if (request.type === 'runApproved' && hosted.flow === 'live') void this.#runApproved(hosted, request);
    else if (request.type !== 'runApproved' && (hosted.flow === 'live' || PASSES_HELD.has(request.type)))
      this.#bench?.hear(request);
    // Of these the page hears nothing but what comes of that which they are about.
    else if (request.type !== 'cancel' && request.type !== 'settle' && 'id' in request)
      this.#tell({ type: 'failed', id: request.id, code: 'frozen', message: FROZEN });
  }

  /** Marked as used before anything of it is sent: what fails from there on has to be asked for anew. */
  async #runApproved(hosted: HostedSession, { id, approval }: RunApproved): Promise<void> {
    const taking = { isCancelled: false };
    this.#taking.set(id, taking);
    try {
      const actor = await this.#opened.caller.now();
      const { approvals } = this.#deps;
      if (!this.#found || hosted.end) return;
      if (taking.isCancelled) return this.#cancelled(id, 'it was cancelled, and can still be run');
      const session = { id: hosted.id, address: hosted.session.address };
      const taken = await approvals.take(actor, approval, this.#found, session);
      if (taking.isCancelled) return this.#cancelled(id, 'it was cancelled before it was sent: ask for it again');
      this.#approved.take(taken);
      this.#bench?.hear({ type: 'approved', id, approval: taken.id, sql: taken.sql });
    } catch (error) {
      this.#fail(id, error, 'what was approved cannot be run');
    } finally {
      this.#taking.delete(id);
    }
  }

  /** Those that run at the workbench already it cancels itself. */
  #cancelTaking(id: number): boolean {
    const taking = this.#taking.get(id);
    if (taking) taking.isCancelled = true;
    return taking !== undefined;
  }

  #cancelled(id: number, message: string): void {
    this.#tell({ type: 'failed', id, code: 'cancelled', message });
  }

  #fail(id: number, given: unknown, what: string): void {
    const { code, message } = refusalOf(given, (error) => this.#deps.log.error({ error }, what));
    this.#tell({ type: 'failed', id, code, message });
  }

  /** It cannot be told what was meant, nor what the page believes now. */
  #misunderstood(): void {
    this.#socket.close(BAD_MESSAGE, 'the message is not understood');
  }

  async #open({ dbUser, dbName }: { dbUser: string; dbName: string }): Promise<void> {
    const { access } = this.#deps;
    const { caller, onEnd } = this.#opened;
    const actor = await caller.now();
    const { name } = wanted.parse(this.#request.params);
    const found = await findWantedDb(this.#deps, actor, { name, dbUser, dbName });
    const opening = {
      ...{ caller, address: this.#request.ip, requestId: this.#request.id, call: 'db editor' },
      proveFactor: () => this.#factor.prove(),
    };
    this.#found = found;
    // Others can watch it: where a role asks for them it waits.
    const hosted = await openDbSession(this.#deps, found, opening, { nature: { cannotWait: false }, holdsBack: true });
    this.#hosted = hosted;
    // As it was decided when it began: what was asked in between may have taken minutes.
    const { dbExport: mayExport, dbReadOnly, dbApproval } = hosted.options;
    const readOnly = found.listed.spec.readOnly || dbReadOnly || dbApproval;
    const asks = dbApproval && !dbReadOnly && !found.listed.spec.readOnly && canBeAsked(found.listed.spec.protocol);
    const { promise: over, resolve } = Promise.withResolvers<void>();
    // With the sign-in the session ends as well: the socket waits until that is said.
    onEnd(() => over);
    whenAborted(hosted.signal, () => void this.#end(hosted).then(resolve, resolve));
    if (this.#socket.readyState !== this.#socket.OPEN) this.#closed();
    if (hosted.end) return;
    hosted.parts.attach({
      // The bench was made for other terms: it is opened anew under those of now.
      whyNot: (owner) => {
        const now = sessionOptions(access.of(owner));
        const isSame = now.dbReadOnly === dbReadOnly && now.dbApproval === dbApproval;
        if (now.dbExport === mayExport && isSame) return undefined;
        return { cause: 'denied', message: 'your roles have changed what you may do at the workbench: open it again' };
      },
      isBusy: () => [...this.#served].some((served) => served.isBusy()),
      // What stands half done cannot be held back and handed over later.
      onCut: (end) => hosted.finish(end),
    });
    const watched = this.#deps.watched.open({
      ...{ hosted, wanted: found, now: this.#deps.now },
      couldJoin: () => this.#deps.host.couldJoin(hosted),
    });
    hosted.onFlow((flow) => this.#bench?.hold(flow !== 'live'));
    this.#hasWaited = hosted.flow !== 'live';
    watched.onFlow((flow) => this.#tell(flow));
    await hosted.begun;
    if (!hosted.end) this.#begin(watched, { readOnly, mayExport, dbNames: namesFor(access, actor, found) }, asks);
  }

  #begin(watched: WatchedSession, terms: Pick<BenchTerms, 'readOnly' | 'mayExport' | 'dbNames'>, asks: boolean): void {
    const { hosted, wanted: found } = watched;
    const { thread, book, log } = this.#deps;
    const { spec, resource } = found.listed;
    const { protocol } = spec;
    const { webRows } = spec.limits;
    const { dbUser, dbName } = found.chosen;
    const { readOnly, mayExport } = terms;
    this.#bench = thread.open(
      hosted.id,
      { ...terms, protocol, dbUser, dbName, webRows },
      {
        connect: (approval) => this.#connect(watched, approval),
        tell: (text) => this.#send(text),
        ready: (version) => {
          this.#isReady = true;
          const { recorded } = hosted.session;
          this.#tell({
            type: 'ready',
            sid: hosted.id,
            protocol,
            version,
            dbUser,
            dbName,
            readOnly,
            webRows,
            mayExport,
            recorded,
            asks,
          });
        },
        failed: (message) => hosted.finish({ cause: 'failed', message }),
        ran: ({ refused, ...statement }) => {
          if (refused) tellHeldBack(this.#deps, hosted.session, protocol, statement);
          book
            .ran({ user: hosted.session.user, database: resource.name, protocol }, statement)
            .catch((error: unknown) => log.warn({ error }, 'an own statement cannot be kept'));
        },
      },
    );
    this.#bench.hold(hosted.flow !== 'live');
  }

  /** A client like any other: the same engine, and the same things told. */
  #connect(watched: WatchedSession, taken: string | undefined): Duplex {
    const { hosted, wanted: found } = watched;
    const [stream, client] = duplexPair();
    let served: Served;
    try {
      const approval = this.#approved.give(taken);
      served = serveDb(this.#deps, found, { door: 'web', client, hosted, isFurther: this.#isReady, watched, approval });
    } catch (error) {
      // Nothing is stored to sign in with, and the like. It was asked for by the thread, where nobody would hear it.
      hosted.finish({ cause: 'failed', message: errorMessage(error) });
      return stream.destroy();
    }
    this.#served.add(served);
    void served.over.catch(() => {}).then(() => this.#served.delete(served));
    return stream;
  }

  async #end(hosted: HostedSession): Promise<void> {
    const { cause, message } = hosted.end ?? { cause: 'closed' as const, message: 'the session is over' };
    const said = Promise.all([...this.#served].map((served) => served.end(message)));
    if (this.#isReady || this.#hasWaited) this.#tell({ type: 'ended', cause, message });
    else this.refuse(new AppError(cause === 'failed' ? 'unavailable' : 'denied', message));
    await Promise.race([said, sleep(LAST_WORDS_MS)]).catch(() => {});
    this.#bench?.close();
    this.#socket.close(1000, 'ended');
  }

  #closed(code = 1001): void {
    this.#watching?.closed(code);
    this.#factor.abandon();
    this.#hosted?.finish({ cause: 'closed', message: 'the page was closed' });
  }

  #tell(reply: EditorReply | WatchReply): void {
    this.#send(JSON.stringify(reply));
  }

  #send(text: string): void {
    sendOrCut(this.#socket, text, MAX_UNSENT_BYTES);
  }
}

type RunApproved = Extract<z.output<typeof editorRequest>, { type: 'runApproved' }>;
type BookRequest = Extract<z.output<typeof editorRequest>, { type: 'history' | 'saved' | 'save' | 'forget' }>;

function isOfBook(request: BenchRequest | BookRequest | RunApproved): request is BookRequest {
  return request.type === 'history' || request.type === 'saved' || request.type === 'save' || request.type === 'forget';
}

/** Those that a list names where a server has several; what is used is decided each time. All are listed only where nothing narrows or denies which. */
function namesFor(access: AccessControl, actor: Actor, { listed: { resource, spec }, rights }: WantedDb): string[] {
  const given = actor.isOwner ? ['*'] : principalsFor(access.of(actor), 'db', resource.labels, 'db_names');
  return narrowed(given, spec.names).filter((name) => name !== '*' || rights.mayUseAll());
}
