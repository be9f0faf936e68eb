/** Sessions with applications of browsers that another cluster has: decided, dialled and told in the log here. */
import type { AccessControl } from '../../../access/create-access.ts';
import { sessionOptions } from '../../../access/session-options.ts';
import type { EventStream } from '../../../platform/audit/event-stream.ts';
import type { Actor } from '../../../platform/http/actor.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import type { Log } from '../../../platform/std/log.ts';
import type { HostedSession } from '../../../sessions/host/hosted-session.ts';
import type { AppDirectory, ListedApp } from '../app-directory.ts';
import type { AppDialer } from '../dial-app.ts';
import { LiveAppSession } from '../live-app-session.ts';
import { type OpenAppDeps, type Opening, openAppSession } from '../open-app.ts';
import { type SessionRulesDeps, sessionRules } from '../session-rules.ts';

export interface RelayedSessionsDeps extends SessionRulesDeps, OpenAppDeps {
  access: AccessControl;
  directory: AppDirectory;
  dialer: AppDialer;
  events: Pick<EventStream, 'write'>;
  log: Log;
}

/** Where the browser has the application, as the other cluster tells. */
export interface BrowserSide {
  origin: URL;
  gateway: string;
}

export interface RelayedSession {
  live: LiveAppSession;
  hosted: HostedSession;
  /** A connection of it is there; gives back how to leave. */
  enter(cut: () => void): () => void;
}

export interface RelayedSessions {
  /** The one of that browser, or a new one. Throws where it is over: it has to be asked for anew. */
  get(app: ListedApp, wanted: Opening & { ref: string; shown: BrowserSide }): Promise<RelayedSession>;
  close(): void;
}

/** Browsers come and go without a word; its pages ask again sooner than this. */
const UNUSED_MS = 15 * 60_000;
const REMEMBERED_MS = 10 * 60_000;
const MAX_SESSIONS = 10_000;
/** With those that are remembered: one who opens without end keeps nobody else out. */
const MAX_OF_PERSON = 100;

export function createRelayedSessions(deps: RelayedSessionsDeps): RelayedSessions {
  const { access, directory, dialer, events, log, now } = deps;
  const held = new Map<string, { app: string; user: string; made: Promise<RelayedSession> }>();

  async function open(app: ListedApp, key: string, asked: Opening & { shown: BrowserSide }): Promise<RelayedSession> {
    const { caller, address, shown } = asked;
    const hosted = await openAppSession(deps, app, asked);
    const { session } = hosted;
    const stored = {
      ...{ hash: key, subjectHash: '', session: session.id, user: session.user, signIn: session.signInId },
      ...{ expires: Number.POSITIVE_INFINITY, userAgent: '', address },
    };
    const termsOf = (person: Actor) => ({
      rules: rulesFor(deps, app, { person, address, session: session.id, shown }),
      tellsRequests: sessionOptions(access.of(person)).appRequests,
    });
    const live = new LiveAppSession({
      ...{ stored, session, app, events, log, now, ...termsOf(await caller.now()) },
      async dial(signal, use) {
        const listed = directory.byName(app.resource.name);
        // The host ends it in a moment; until then nothing else is dialled than what was allowed.
        if (listed?.version !== app.version)
          throw new AppError('target_unreachable', 'the application was changed: open it again');
        const { user: username, signInId, mfa } = session;
        const person = { username, signInId, address, session: session.id, mfa };
        const who = { user: session.user, session: session.id };
        return dialer.dial(listed, { who, person, signal, largeReads: use === 'requests' });
      },
    });
    hosted.parts.attach({
      onTerms: (owner) => void Object.assign(live, termsOf(owner)),
      onEnd(end) {
        live.finish(end);
        // Whoever comes again is told, and not let in anew without being asked for.
        setTimeout(() => held.delete(key), REMEMBERED_MS).unref();
      },
      onCut: (end) => live.finish(end),
      isBusy: () => live.underWay > 0,
    });
    return { live, hosted, enter: counter(hosted) };
  }

  function counter(hosted: HostedSession): RelayedSession['enter'] {
    const cuts = new Set<() => void>();
    let unused: NodeJS.Timeout | undefined;
    hosted.parts.attach({
      onEnd() {
        clearTimeout(unused);
        for (const cut of [...cuts]) cut();
      },
    });
    const rest = () => {
      unused = setTimeout(() => hosted.finish({ cause: 'closed', message: 'nobody uses it any more' }), UNUSED_MS);
      unused.unref();
    };
    rest();
    return (cut) => {
      clearTimeout(unused);
      cuts.add(cut);
      return () => {
        cuts.delete(cut);
        if (cuts.size === 0 && !hosted.end) rest();
      };
    };
  }

  return {
    async get(app, asked) {
      const key = `${asked.caller.signInId} ${asked.ref}`;
      const known = held.get(key);
      if (known && known.app === app.resource.name) {
        const found = await known.made;
        if (found.hosted.end) throw new AppError('denied', 'your session with this application is over: open it again');
        return found;
      }
      if (known || held.size >= MAX_SESSIONS)
        throw new AppError('unavailable', 'too many sessions with applications are open');
      const { username: user } = asked.caller;
      if ([...held.values()].filter((each) => each.user === user).length >= MAX_OF_PERSON)
        throw new AppError(
          'too_many',
          `you have opened ${MAX_OF_PERSON} sessions with applications lately: wait some minutes`,
        );
      const made = open(app, key, asked);
      held.set(key, { app: app.resource.name, user, made });
      made.catch(() => held.delete(key));
      return await made;
    },
    close() {
      for (const { made } of held.values())
        void made.then(
          ({ live }) => live.finish({ cause: 'gateway_stopping', message: 'the gateway is closing' }),
          () => {},
        );
    },
  };
}

/** As for a browser of this cluster, but for where it has the application. */
function rulesFor(
  deps: SessionRulesDeps,
  app: ListedApp,
  { shown, ...terms }: Omit<Parameters<typeof sessionRules>[1], 'app'> & { shown: BrowserSide },
) {
  const { origin, gateway } = shown;
  const hosts = { ...deps.hosts, originOf: () => origin.origin, base: () => gateway };
  return sessionRules({ ...deps, hosts }, { app: { ...app, host: origin.hostname }, ...terms });
}
