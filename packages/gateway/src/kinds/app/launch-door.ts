/** How a browser gets its two cookies on an application's host: by a code that works once, or by the handshake of the reference. */
import { createHash } from 'node:crypto';
import { authAttemptFailed } from '@gatehouse/contract/audit/sign-in-events';
import { PAGES } from '@gatehouse/contract/console/pages';
import {
  APP_AUTH_PATH,
  APP_COOKIE,
  APP_LAUNCH_PATH,
  APP_LOGOUT_PATH,
  APP_SUBJECT_COOKIE,
  launchPath,
} from '@gatehouse/contract/kinds/app/apps';
import type { Identity } from '../../identity/identity.ts';
import type { Audit } from '../../platform/audit/emit.ts';
import { hashToken, newToken, sameText } from '../../platform/crypto/tokens.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { clientKey } from '../../platform/std/client-key.ts';
import { createOncePer } from '../../platform/std/throttle.ts';
import type { Db } from '../../platform/storage/tables.ts';
import type { ClientRequest, ClientResponse } from '../../reach/http/proxy-request.ts';
import type { AppHosts } from './app-hosts.ts';
import { type AppPage, sendPage } from './app-page.ts';
import { type AppSecrets, bindAppSession, findAppSession, insertAppSession, takeLaunch } from './app-session-store.ts';
import { type AppSessions, userAgentKey } from './app-sessions.ts';
import { type RequestFacts, readOneCookie, STATE_COOKIE } from './engine/read-request.ts';
import type { LiveAppSession } from './live-app-session.ts';
import { expiryOf } from './open-app.ts';

/** Somebody at the door of an application. */
export interface Visit {
  host: string;
  url: string;
  method: string;
  facts: RequestFacts;
  userAgent: string;
  address: string;
}

export interface LaunchDoor {
  /** Sends a browser to sign in and back to the same page; others are told. */
  begin(visit: Visit, response: ClientResponse): void;
  /** The addresses on an application's host that are the gateway's. `own`: the session the visitor has proved. */
  serve(visit: Visit, request: ClientRequest, response: ClientResponse, own: LiveAppSession | undefined): Promise<void>;
}

export interface LaunchDoorDeps {
  db: Db;
  hosts: AppHosts;
  sessions: AppSessions;
  identity: Pick<Identity, 'requireHere'>;
  audit: Audit;
  now: () => number;
}

const STATE = /^[0-9a-f]{64}$/;
const TOKEN = /^[0-9a-f]{64}$/;
const STATE_SECONDS = 600;
/** A failed attempt from one address is told once in so long. */
const REPEAT_MS = 1_000;

const PRIVATE = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

export function createLaunchDoor(deps: LaunchDoorDeps): LaunchDoor {
  const { db, hosts, sessions, audit, now } = deps;
  const isNews = createOncePer(REPEAT_MS, now);
  const prefix = () => (hosts.isSecure() ? '__Host-' : '');

  function cookie(name: string, value: string, more: string): string {
    const secure = hosts.isSecure() ? '; Secure' : '';
    return `${prefix()}${name}=${value}; Path=/; HttpOnly${secure}${more}`;
  }

  function appCookies({ cookie: first, subject }: AppSecrets, sameSite: 'Lax' | 'None'): string[] {
    const more = `; SameSite=${hosts.isSecure() ? sameSite : 'Lax'}${first === '' ? '; Max-Age=0' : ''}`;
    return [cookie(APP_COOKIE, first, more), cookie(APP_SUBJECT_COOKIE, subject, more)];
  }

  /** The same state serves all tabs of a browser: a second one must not take it from the first. */
  function toLaunch({ host, facts }: Visit, response: ClientResponse, path: string): void {
    const held = readOneCookie(facts.cookie, `${prefix()}${STATE_COOKIE}`);
    const state = STATE.test(held) ? held : newToken();
    const query = `path=${encodeURIComponent(path)}&state=${digest(state)}`;
    response.writeHead(302, {
      ...PRIVATE,
      location: `${hosts.console()}${PAGES.root.path}/launch/${encodeURIComponent(host)}?${query}`,
      'set-cookie': [cookie(STATE_COOKIE, state, `; SameSite=Lax; Max-Age=${STATE_SECONDS}`)],
    });
    response.end();
  }

  const begin: LaunchDoor['begin'] = (visit, response) => {
    if (visit.facts.isPage && (visit.method === 'GET' || visit.method === 'HEAD')) {
      toLaunch(visit, response, visit.url);
      return;
    }
    const message = 'your session with this application is over, or was opened elsewhere: reload the page';
    const link = { url: '/', text: 'Open it again' };
    sendPage(response, { status: 401, title: 'Not Signed In', message, link }, visit.facts.isPage);
  };

  async function redeem(visit: Visit, response: ClientResponse, own: LiveAppSession | undefined): Promise<void> {
    const code = queryOf(visit.url).get('code') ?? '';
    const launch = TOKEN.test(code) ? await takeLaunch(db, code, now()) : undefined;
    const state = readOneCookie(visit.facts.cookie, `${prefix()}${STATE_COOKIE}`);
    const isHere = launch?.host === visit.host && STATE.test(state) && sameText(launch.stateHash, digest(state));
    if (!launch || !isHere) {
      // Going back in the history shows a used code again: whoever is in already just goes on.
      if (!launch && own) {
        response.writeHead(303, { ...PRIVATE, location: '/' });
        response.end();
        return;
      }
      await tellFailed(visit, launch?.user, launch ? 'the code was made for another browser' : 'the code is not valid');
      const message = launch
        ? 'this code was made for another browser, or this browser keeps no cookies'
        : 'this code was used already, or is too old';
      const link = { url: '/', text: 'Try again' };
      sendPage(response, { status: 403, title: 'Access Denied', message, link }, visit.facts.isPage);
      return;
    }
    const elsewhere = await whyElsewhere(launch.signIn, visit);
    if (elsewhere) {
      sendPage(response, elsewhere, visit.facts.isPage);
      return;
    }
    const expires = await expiryOf({ db, now }, { signInId: launch.signIn });
    const secrets = await db.transaction().execute((tx) =>
      insertAppSession(tx, {
        session: launch.session,
        user: launch.user,
        signIn: launch.signIn,
        expires,
        userAgent: userAgentKey(visit.userAgent),
        address: visit.address,
      }),
    );
    response.writeHead(303, { ...PRIVATE, location: launch.path, 'set-cookie': appCookies(secrets, 'Lax') });
    response.end();
  }

  /** A code shown at another address than its sign-in is tied to opens nothing, and is used up. */
  async function whyElsewhere(signIn: string, { address }: Visit): Promise<AppPage | undefined> {
    try {
      await deps.identity.requireHere(signIn, { address, door: 'application' });
      return undefined;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { status: 403, title: 'Access Denied', message: error.message, link: { url: '/', text: 'Try again' } };
    }
  }

  async function handshake(visit: Visit, request: ClientRequest, response: ClientResponse): Promise<void> {
    const { origin } = visit.facts;
    const answer = (status: number, more: Record<string, string | string[]> = {}) => {
      response.writeHead(status, { ...PRIVATE, 'content-length': '0', ...more });
      response.end();
    };
    if (origin === undefined || URL.parse(origin)?.origin !== origin) return answer(400);
    if (origin !== hosts.console()) return answer(403);
    const cors = {
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'X-Cookie-Value, X-Subject-Cookie-Value',
      vary: 'Origin',
    };
    if (visit.method === 'OPTIONS') return answer(200, cors);
    if (visit.method !== 'POST') return answer(405, cors);
    const [first, subject] = ['x-cookie-value', 'x-subject-cookie-value'].map((name) =>
      String(request.headers[name] ?? ''),
    );
    const stored = TOKEN.test(first ?? '') ? await findAppSession(db, hashToken(first!), now()) : undefined;
    const isRight =
      stored !== undefined && TOKEN.test(subject ?? '') && sameText(stored.subjectHash, hashToken(subject!));
    const live = isRight ? await sessions.find(first!) : undefined;
    const client = { userAgent: userAgentKey(visit.userAgent), address: visit.address };
    const fits = live !== undefined && !live.end && live.app.host === visit.host;
    if (stored && fits && (await whyElsewhere(stored.signIn, visit))) return answer(403, cors);
    if (!stored || !fits || !(await bindAppSession(db, stored.hash, client))) {
      await tellFailed(visit, stored?.user, 'the application session does not belong to this browser');
      return answer(403, cors);
    }
    return answer(200, { ...cors, 'set-cookie': appCookies({ cookie: first!, subject: subject! }, 'None') });
  }

  async function signOut(response: ClientResponse, own: LiveAppSession | undefined): Promise<void> {
    if (own) await sessions.end(own, { cause: 'closed', message: 'you closed it' });
    response.writeHead(200, {
      ...PRIVATE,
      'content-type': 'text/plain; charset=utf-8',
      'set-cookie': appCookies({ cookie: '', subject: '' }, 'None'),
    });
    response.end('You are signed out of this application.\n');
  }

  async function tellFailed({ host, address }: Visit, user: string | undefined, reason: string): Promise<void> {
    if (!isNews(`${clientKey(address)} ${host}`)) return;
    const fields = {
      ...(user === undefined ? {} : { user }),
      success: false,
      error: `${reason} (${host})`,
      'addr.remote': address,
    };
    await db.transaction().execute((tx) => audit.emit(tx, authAttemptFailed, fields));
  }

  return {
    begin,
    async serve(visit, request, response, own) {
      const [path] = visit.url.split('?', 1);
      if (path === APP_AUTH_PATH) return await handshake(visit, request, response);
      if (path === APP_LOGOUT_PATH) return await signOut(response, own);
      if (path === APP_LAUNCH_PATH) return await redeem(visit, response, own);
      const wanted = launchPath.safeParse(queryOf(visit.url).get('path') ?? '/');
      return toLaunch(visit, response, wanted.data ?? '/');
    },
  };
}

function queryOf(url: string): URLSearchParams {
  const cut = url.indexOf('?');
  return new URLSearchParams(cut < 0 ? '' : url.slice(cut + 1));
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
