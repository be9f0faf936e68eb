/** Says who is calling: a browser by cookie and bearer of one sign-in, a command line or script by its bearer alone. */

import { IDLE_HEADER } from '@gatehouse/contract/console/page-tags';
import { idleMs, signInRoutes } from '@gatehouse/contract/identity/sign-in';
import type { Route } from '@gatehouse/contract/wire/route';
import type { FastifyRequest } from 'fastify';
import { hashToken } from '../../platform/crypto/tokens.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { readCookie } from '../../platform/http/cookies.ts';
import { type RemoteVisit, remoteVisit } from '../../platform/http/relayed-door.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { AuthSettings } from '../identity-deps.ts';
import type { LiveSignIn, SignInCache } from '../stores/sign-in-cache.ts';
import { decodeCookie, type KnownSecret } from '../stores/sign-in-secrets.ts';
import { isAlive } from '../stores/sign-in-store.ts';
import type { AddressGuard } from './address-guard.ts';
import type { LastActive } from './last-active.ts';

export interface AuthenticateDeps {
  cache: SignInCache;
  lastActive: LastActive;
  settings: Pick<AuthSettings, 'inactivityTimeoutMs'>;
  now: () => number;
  /** Whether somebody locked the user, or a role of theirs. */
  isLocked(live: LiveSignIn): boolean;
  /** Refuses one that is used away from where it belongs. */
  guard: Pick<AddressGuard, 'require'>;
  /** Ends a sign-in that has rested too long. */
  endInactive(live: LiveSignIn): Promise<void>;
}

export interface Authenticate {
  /** Throws `not_signed_in`. */
  request(request: FastifyRequest, route: Pick<Route, 'cookieAlone'>): Promise<Actor>;
  /** The same for a socket whose token came in its first message or its address. */
  socket(request: FastifyRequest, token: string): Promise<LiveSignIn>;
  /** The live sign-in behind a session cookie alone: enough to hand a page its bearer, and for nothing else. */
  cookie(value: string | undefined, used: { address: string; door: string }): Promise<LiveSignIn | undefined>;
  /** Who is behind a sign-in, as the store has them now; throws `not_signed_in` when it is over, or may not be used from there. */
  now(signInId: string, address: string | undefined): Promise<Actor>;
  /** Whether a sign-in goes on; one that has rested too long is ended by being asked. */
  isAlive(signInId: string): Promise<boolean>;
}

/** Made by timers, not by a person. */
const PASSIVE: ReadonlySet<string> = new Set([signInRoutes.status.path, signInRoutes.renew.path]);
const READING_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

export function createAuthenticate(deps: AuthenticateDeps): Authenticate {
  const { cache, now } = deps;

  async function secretOf(text: string, type: KnownSecret['type']): Promise<KnownSecret | undefined> {
    const known = await cache.secret(hashToken(text));
    return known?.type === type && known.expires > now() ? known : undefined;
  }

  /** Cookies never count with another's bearer, and a browser's bearer counts for nothing without its cookie. */
  async function find(cookie: string | undefined, bearer: string | undefined): Promise<LiveSignIn | undefined> {
    if (!bearer) return undefined;
    const said = cookie === undefined ? undefined : decodeCookie(cookie);
    const [byBearer, byCookie] = await Promise.all([
      secretOf(bearer, 'bearer'),
      said ? secretOf(said.sid, 'cookie') : undefined,
    ]);
    const live = byBearer && (await alive(byBearer.signInId));
    if (!live) return undefined;
    if (cookie === undefined) return live.signIn.kind === 'browser' ? undefined : live;
    return byCookie?.signInId === live.signIn.id && said?.user === live.user.name ? live : undefined;
  }

  /** For a browser whose bearer has run out. One that belongs to another sign-in is no bearer that ran out. */
  async function findLapsed(cookie: string | undefined, bearer: string | undefined): Promise<LiveSignIn | undefined> {
    const said = cookie === undefined ? undefined : decodeCookie(cookie);
    const byCookie = said && (await secretOf(said.sid, 'cookie'));
    const known = bearer === undefined ? undefined : await cache.secret(hashToken(bearer));
    if (!byCookie || (known && known.signInId !== byCookie.signInId)) return undefined;
    const live = await alive(byCookie.signInId);
    return live?.user.name === said.user ? live : undefined;
  }

  async function findByCookie(
    value: string | undefined,
    used: { address: string; door: string },
  ): Promise<LiveSignIn | undefined> {
    const said = value === undefined ? undefined : decodeCookie(value);
    const known = said && (await secretOf(said.sid, 'cookie'));
    const live = known && (await alive(known.signInId));
    if (!live || live.user.name !== said.user) return undefined;
    await deps.guard.require(live, used);
    return live;
  }

  async function alive(id: string): Promise<LiveSignIn | undefined> {
    const live = await cache.signIn(id);
    if (!live || !isAlive(live.signIn, now()) || deps.isLocked(live)) return undefined;
    if (!isIdle(live)) return live;
    // Another gateway may have seen the user since this one last looked.
    cache.dropSignIn(id);
    const fresh = await cache.signIn(id);
    if (!fresh || !isAlive(fresh.signIn, now())) return undefined;
    if (!isIdle(fresh)) return fresh;
    await deps.endInactive(fresh);
    return undefined;
  }

  /** Whom another cluster vouches for: nothing they send counts, and what they hold is what it gives them here. */
  async function visited({ signInId }: RemoteVisit): Promise<LiveSignIn> {
    const live = await alive(signInId);
    if (!live) throw notSignedIn();
    return live;
  }

  function isIdle({ signIn }: LiveSignIn): boolean {
    const { inactivityTimeoutMs } = deps.settings;
    if (inactivityTimeoutMs === 0 || signIn.kind !== 'browser') return false;
    return now() - deps.lastActive.of(signIn) > inactivityTimeoutMs;
  }

  return {
    async request(request, { cookieAlone }) {
      const visit = remoteVisit(request);
      const [cookie, bearer] = [readCookie(request, 'session'), bearerOf(request)];
      const live = visit
        ? await visited(visit)
        : ((await find(cookie, bearer)) ?? (cookieAlone ? await findLapsed(cookie, bearer) : undefined));
      if (!live) throw notSignedIn();
      await deps.guard.require(live, { address: request.ip ?? '', door: doorOf(request) });
      if (live.signIn.scope !== 'all') checkMethod(request, live);
      if (!PASSIVE.has(request.routeOptions.url ?? ''))
        deps.lastActive.touch(live.signIn.id, now() - restedMs(request));
      return toActor(live, request.ip);
    },
    async socket(request, token) {
      const visit = remoteVisit(request);
      const live = visit ? await visited(visit) : await find(readCookie(request, 'session'), token);
      if (!live) throw notSignedIn();
      await deps.guard.require(live, { address: request.ip ?? '', door: doorOf(request) });
      return live;
    },
    async now(signInId, address) {
      const live = (await alive(signInId)) && (await cache.read(signInId));
      if (!live || !isAlive(live.signIn, now()) || deps.isLocked(live)) throw notSignedIn();
      if (address !== undefined) await deps.guard.require(live, { address, door: 'open connection' });
      return toActor(live, address);
    },
    cookie: findByCookie,
    isAlive: async (id) => (await alive(id)) !== undefined,
  };
}

/** `address`: where the call comes from. */
export function toActor({ signIn, user, acl }: LiveSignIn, address?: string): Actor {
  return {
    username: user.name,
    signInId: signIn.id,
    signInKind: signIn.kind,
    roles: user.roles,
    traits: user.traits,
    authType: user.authType === 'local' ? 'local' : 'sso',
    acl,
    ...(address === undefined ? {} : { address }),
    ...(signIn.scope === 'all' ? {} : { isNarrowed: signIn.scope === 'read' ? 'reads' : 'names' }),
  };
}

/** As the contract writes it: what is in an address may be secret. */
function doorOf({ method, routeOptions }: FastifyRequest): string {
  return `${method} ${routeOptions.url ?? '?'}`;
}

export function notSignedIn(): AppError {
  return new AppError('not_signed_in', 'you are not signed in, or your sign-in has ended');
}

/** Not every call that changes something asks for a verb, so a token that only reads is held to reading methods too. */
function checkMethod(request: FastifyRequest, { signIn }: LiveSignIn): void {
  if (signIn.scope !== 'read' || READING_METHODS.has(request.method)) return;
  throw new AppError('denied', `the token '${signIn.name}' may only read`);
}

/** What a console says of its user; whoever says nothing is taken to be there. */
function restedMs(request: FastifyRequest): number {
  return idleMs.safeParse(request.headers[IDLE_HEADER] ?? 0).data ?? 0;
}

function bearerOf(request: FastifyRequest): string | undefined {
  const match = /^Bearer ([!-~]{16,256})$/.exec(request.headers.authorization ?? '');
  return match?.[1];
}
