/** Makes the sessions this gateway serves, and the guests it only uses: what of their lives is written where. */
import type { EndReason } from '@gatehouse/contract/identity/sign-ins';
import type { Actor } from '../../platform/http/actor.ts';
import type { Log } from '../../platform/std/log.ts';
import type { Tx } from '../../platform/storage/tables.ts';
import type { Terms } from './admit.ts';
import { type DecideDeps, decidePerson } from './decide-session.ts';
import { HostedSession } from './hosted-session.ts';
import type { LastWords, SessionAudit } from './session-audit.ts';
import { natureOf, type SessionNature, type SessionPart } from './session-parts.ts';
import { type NewSession, publishSession, type Session, type SessionEnd, updateSession } from './session-store.ts';
import { runsOut, signedOut } from './signed-out.ts';
import { createResizes } from './tell-resizes.ts';

/** Where sessions are kept that have no row of their own among the others: with their kind, or with the gateway that opened them. */
export interface Keeping {
  /** Who keeps them counts them too: one that is open and serves as well, now that it is allowed; throws why there are no more. */
  before?(terms: Terms): HostedSession | undefined;
  /** In the transaction that admits it. */
  insert(tx: Tx, session: NewSession): Promise<Session>;
  /** It is over, and not merely let go of here. */
  ended(session: Session, end: SessionEnd): Promise<void>;
}

/** Uses a session here that was opened before, on whichever gateway. */
export interface FollowRequest {
  session: Session;
  owner: Actor;
  nature?: SessionNature;
  part?: SessionPart;
  keeping?: Keeping;
}

export interface HostingDeps extends DecideDeps {
  audit: SessionAudit;
  /** Sign-ins that run out or rest too long come to their end without a change to hear of, where somebody watches. */
  signIns: { onSignInEnd(signInId: string, listener: (reason: EndReason) => void): () => void };
  live: Map<string, HostedSession>;
  /** Waited for before the gateway is closed. */
  follow(work: Promise<void>): void;
  write(work: (tx: Tx) => Promise<void>): void;
  writeEnd(session: Session, end: SessionEnd, last?: LastWords): Promise<void>;
  /** Somebody came or left. */
  peopleChanged(hosted: HostedSession): void;
  log: Log;
}

type HeldTerms = Pick<Terms, 'options' | 'rules'>;

export interface Hosting {
  /** One of this gateway's own. */
  host(session: Session, terms: HeldTerms, how: Pick<FollowRequest, 'nature' | 'part'>): HostedSession;
  /** Kept elsewhere: nothing of it is written here but its end. */
  receive(session: Session, terms: HeldTerms, how: Pick<FollowRequest, 'nature' | 'part' | 'keeping'>): HostedSession;
}

export function createHosting(deps: HostingDeps): Hosting {
  const { audit, live, follow, write, writeEnd, log, now } = deps;

  /** Over with a sign-in that merely ran out: only who watches it hears of that. */
  const watchSignIn = (hosted: HostedSession) => {
    const { signInId } = hosted.session;
    if (!hosted.nature.endsWithSignIn || signInId === '') return;
    const forget = deps.signIns.onSignInEnd(signInId, (reason) => {
      // What else ends it comes as a change, with its reason.
      if (runsOut(reason)) hosted.finish(signedOut(reason));
    });
    hosted.parts.attach({ onEnd: forget });
  };

  const onFault = ({ id }: HostedSession, error: unknown) =>
    log.error({ error, sessionId: id }, 'a part of a session failed at what it was told');

  /** Kept elsewhere: nothing of it is written here but its end. */
  const receive = (
    session: Session,
    { options, rules }: Pick<Terms, 'options' | 'rules'>,
    { nature, part, keeping }: Pick<FollowRequest, 'nature' | 'part' | 'keeping'>,
  ): HostedSession => {
    const hosted: HostedSession = new HostedSession({
      session,
      options,
      rules,
      nature: { ...natureOf(session.action.kind, nature), isGuest: true, isKeptApart: keeping !== undefined },
      now,
      onEnd(ended, end) {
        live.delete(session.id);
        if (ended.released) return;
        log.info({ sessionId: session.id, username: session.user, cause: end.cause }, 'use of a session ended');
        follow(keeping ? keeping.ended(session, end) : writeEnd(session, end));
      },
      onFault,
      onConnected() {},
      onResize() {},
      onRemove() {},
      onEnter() {},
      onLeave() {},
      onFlow() {},
    });
    live.set(session.id, hosted);
    if (part) hosted.parts.attach(part);
    watchSignIn(hosted);
    return hosted;
  };

  const host = (
    session: Session,
    { options, rules }: Pick<Terms, 'options' | 'rules'>,
    { nature, part }: Pick<FollowRequest, 'nature' | 'part'>,
  ): HostedSession => {
    const resizes = createResizes(session.size, (resize) => write((tx) => audit.resized(tx, session, resize)));
    const hosted = new HostedSession({
      session,
      options,
      rules,
      nature: natureOf(session.action.kind, nature),
      now,
      onEnd(ended, end) {
        live.delete(session.id);
        const last = { resize: resizes.stop(), traffic: ended.traffic() };
        if (ended.released) return;
        log.info({ sessionId: session.id, username: session.user, cause: end.cause }, 'session ended');
        follow(writeEnd(session, end, last));
      },
      onFault,
      onConnected: () =>
        write(async (tx) => {
          await updateSession(tx, session);
          await audit.connected(tx, session);
        }),
      onResize: (_, resize) => resizes.resized(resize),
      onRemove: (_, who, why) => write((tx) => audit.removed(tx, session, who, why)),
      onEnter(entered, who) {
        const isOwner = who.username === session.user;
        // Found again from another sign-in: from now on it ends with that one.
        const isNews = (isOwner && session.signInId !== who.signInId) || !session.participants.includes(who.username);
        if (isOwner) session.signInId = who.signInId;
        if (!session.participants.includes(who.username)) session.participants.push(who.username);
        follow(decidePerson(deps, entered, who));
        write(async (tx) => {
          await (isNews ? updateSession : publishSession)(tx, session);
          if (!isOwner) await audit.joined(tx, session, who);
        });
      },
      onLeave(_, who) {
        const isOwner = who.username === session.user;
        write(async (tx) => {
          await publishSession(tx, session);
          if (!isOwner) await audit.left(tx, session, who);
        });
      },
      onFlow({ flow }) {
        log.info({ sessionId: session.id, username: session.user, flow }, 'session held up or let go on');
        write((tx) => updateSession(tx, session));
      },
    });
    live.set(session.id, hosted);
    if (part) hosted.parts.attach(part);
    watchSignIn(hosted);
    if (hosted.flow === 'frozen' && !session.frozen) {
      // Taken over from a gateway that did not come to write it.
      session.frozen = true;
      write((tx) => updateSession(tx, session));
    }
    hosted.onPeople((what) => {
      // Who types is told to those who are there; lists would change with every word.
      if (what !== 'typing') deps.peopleChanged(hosted);
    });
    return hosted;
  };

  return { host, receive };
}
