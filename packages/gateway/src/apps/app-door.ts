/** The door of applications: every request to one of their hosts comes in here, shows its two cookies, and goes on to the application or to sign in. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { APP_AUTH_PATH, APP_LAUNCH_PATH, APP_LOGOUT_PATH, APP_START_PATH } from '@gatehouse/contract/apps/apps';
import type { ClientAddress } from '../http/client-address.ts';
import type { HostDoor } from '../http/host-door.ts';
import { breakOff } from '../kinds/app/break-off.ts';
import { type ClientRequest, type ClientResponse, proxyRequest } from '../kinds/app/proxy-request.ts';
import { proxyUpgrade } from '../kinds/app/proxy-upgrade.ts';
import { type AppCookies, type RequestFacts, readAppCookies, readRequest } from '../kinds/app/read-request.ts';
import type { Log } from '../std/log.ts';
import type { AppDirectory } from './app-directory.ts';
import type { AppHosts } from './app-hosts.ts';
import { type AppPage, rawAnswer, sendPage } from './app-page.ts';
import type { AppSessions } from './app-sessions.ts';
import { failurePage } from './failure-page.ts';
import type { LaunchDoor, Visit } from './launch-door.ts';
import type { LiveAppSession } from './live-app-session.ts';

export interface AppDoorDeps {
  hosts: AppHosts;
  directory: AppDirectory;
  sessions: AppSessions;
  launch: LaunchDoor;
  clientAddress: ClientAddress;
  log: Log;
}

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);
const REFUSED_METHODS: ReadonlySet<string> = new Set(['TRACE', 'TRACK', 'CONNECT']);
/** Visible ASCII: what else stands in an address is read differently by different programs. */
const PLAIN_URL = /^\/[!-~]*$/;

export function createAppDoor(deps: AppDoorDeps): HostDoor {
  const { hosts, directory, sessions, launch, clientAddress, log } = deps;

  /** What is wrong with a request before anybody asks whose it is. */
  function broken(request: ClientRequest, facts: RequestFacts): AppPage | undefined {
    if (request.httpVersionMajor < 1) return bad('it is of a version without headers');
    if (facts.host === undefined) return bad('it names its host twice or not at all');
    if (facts.ambiguous) return bad('it gives the length of its body in two ways');
    if (!PLAIN_URL.test(request.url ?? '')) return bad('its address is not a plain path');
    if (REFUSED_METHODS.has(request.method ?? ''))
      return { status: 405, title: 'Not Allowed', message: `${request.method} is not passed on to applications` };
    return undefined;
  }

  function visitOf(request: ClientRequest, facts: RequestFacts): Visit {
    return {
      host: facts.host ?? '',
      url: request.url ?? '/',
      method: request.method ?? 'GET',
      facts,
      userAgent: facts.userAgent,
      address: clientAddress(request.socket.remoteAddress, facts.forwardedFor),
    };
  }

  function request(request: ClientRequest, response: ClientResponse): void {
    const facts = readRequest(request.rawHeaders);
    const wrong = broken(request, facts);
    if (wrong) {
      if (request.httpVersionMajor === 1) response.setHeader('connection', 'close');
      sendPage(response, wrong, facts.isPage);
      return;
    }
    const visit = visitOf(request, facts);
    const cookies = readAppCookies(facts.cookie, hosts.isSecure() ? '__Host-' : '');
    const known = cookies.session === '' ? undefined : sessions.known(cookies.session);
    if (known && !isOurs(visit.url)) {
      pass(known, cookies, visit, request, response);
      return;
    }
    void answer(cookies, visit, request, response).catch((error: unknown) => {
      log.error({ error }, 'a request on the host of an application failed');
      if (response.headersSent) breakOff(response);
      else sendPage(response, failurePage(error), facts.isPage);
    });
  }

  async function answer(cookies: AppCookies, visit: Visit, request: ClientRequest, response: ClientResponse) {
    if (isOurs(visit.url)) {
      const live = cookies.session === '' ? undefined : await sessions.find(cookies.session);
      const own = live && fits(live, cookies, visit) ? live : undefined;
      await launch.serve(visit, request, response, own);
      return;
    }
    const live = cookies.session === '' ? undefined : await sessions.find(cookies.session);
    if (live) pass(live, cookies, visit, request, response);
    else launch.begin(visit, response);
  }

  /** Both cookies, this browser, this host: one that is missing is as good as none. */
  function fits(live: LiveAppSession, cookies: AppCookies, visit: Visit): boolean {
    return !live.end && live.app.host === visit.host && sessions.fits(live, cookies.subject, visit);
  }

  function pass(
    live: LiveAppSession,
    cookies: AppCookies,
    visit: Visit,
    request: ClientRequest,
    response: ClientResponse,
  ): void {
    const { facts } = visit;
    if (!fits(live, cookies, visit)) {
      launch.begin(visit, response);
      return;
    }
    const method = visit.method;
    if (live.app.address.path !== '/' && (visit.url === '/' || visit.url.startsWith('/?'))) {
      response.writeHead(302, {
        location: `${live.app.address.path}${visit.url.slice(1)}`,
        'cache-control': 'no-store',
      });
      response.end();
      return;
    }
    sessions.touch(live, facts.isPage || !READING.has(method));
    live.begin();
    let forget: (() => void) | undefined;
    let over = false;
    const cut = proxyRequest({
      request,
      response,
      facts,
      cookie: cookies.rest,
      pool: live.pool,
      rules: live.rules,
      onDone(status) {
        over = true;
        forget?.();
        live.tell({ method, url: visit.url, status });
      },
      onUnreachable(error) {
        log.info({ app: live.app.resource.name, error: messageOf(error) }, 'an application cannot be reached');
        if (response.headersSent || response.writableEnded) breakOff(response);
        else sendPage(response, failurePage(error), facts.isPage);
      },
    });
    if (!over) forget = live.add(cut);
  }

  async function passUpgrade(request: IncomingMessage, socket: Duplex, rest: Buffer): Promise<void> {
    const facts = readRequest(request.rawHeaders);
    const refuse = (page: AppPage) => void socket.end(rawAnswer(page));
    const wrong = broken(request, facts);
    if (wrong) return refuse(wrong);
    if (facts.chunked || (facts.contentLength !== undefined && facts.contentLength !== '0'))
      return refuse(bad('it has a body and wants another protocol'));
    // Inside any other protocol a client could speak to the application without us, and under any name.
    if (request.headers.upgrade?.toLowerCase() !== 'websocket')
      return refuse(bad('it wants a protocol that is not passed on'));
    const visit = visitOf(request, facts);
    const cookies = readAppCookies(facts.cookie, hosts.isSecure() ? '__Host-' : '');
    const live = cookies.session === '' ? undefined : await sessions.find(cookies.session);
    if (!live || !fits(live, cookies, visit)) return refuse(NOT_SIGNED_IN);
    live.begin();
    sessions.touch(live, true);
    let forget: (() => void) | undefined;
    let over = false;
    const cut = proxyUpgrade({
      request,
      socket,
      rest,
      facts,
      cookie: cookies.rest,
      rules: live.rules,
      open: () => live.pool.open('upgrade'),
      onInput: () => sessions.touch(live, true),
      onDone(status) {
        over = true;
        forget?.();
        live.tell({ method: 'GET', url: visit.url, status });
      },
      onUnreachable: (error) => refuse(failurePage(error)),
    });
    if (!over) forget = live.add(cut);
  }

  return {
    isAppHost: (host) => directory.isAppHost(host),
    request,
    upgrade(request, socket, rest) {
      socket.on('error', () => socket.destroy());
      passUpgrade(request, socket, rest).catch((error: unknown) => {
        log.error({ error }, 'a websocket of an application failed');
        socket.destroy();
      });
    },
  };
}

const NOT_SIGNED_IN: AppPage = {
  status: 401,
  title: 'Not Signed In',
  message: 'open the application again: its session is over, or was opened elsewhere',
};

function bad(why: string): AppPage {
  return { status: 400, title: 'Bad Request', message: `the request is not passed on: ${why}` };
}

const OURS = [APP_AUTH_PATH, APP_LAUNCH_PATH, APP_LOGOUT_PATH, APP_START_PATH];

function isOurs(url: string): boolean {
  // The first letters tell most apart.
  const second = url.charCodeAt(1);
  if (second !== 120 && second !== 116) return false;
  return OURS.some((path) => url === path || url.startsWith(`${path}?`));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
