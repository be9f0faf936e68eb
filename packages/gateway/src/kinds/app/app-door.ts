/** The door of applications: every request to one of their hosts comes in here, shows its two cookies, and goes on to the application or to sign in. */

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { pagePath } from '@gatehouse/contract/console/pages';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { closeSoon } from '@gatehouse/tunnel/close-soon';
import { contain } from '@gatehouse/tunnel/contain';
import type { ClientAddress } from '../../platform/http/hosts/client-address.ts';
import type { SimpleAnswer, SimpleRequest } from '../../platform/http/hosts/fast-path-connection.ts';
import type { HeaderBlock } from '../../platform/http/hosts/fast-path-head.ts';
import type { HostDoor } from '../../platform/http/hosts/host-door.ts';
import type { Log } from '../../platform/std/log.ts';
import { abortResponse } from '../../reach/http/abort-response.ts';
import { NodeAnswer } from '../../reach/http/client-answer.ts';
import {
  bodyOf,
  type ClientRequest,
  type ClientResponse,
  type Proxied,
  proxyRequest,
} from '../../reach/http/proxy-request.ts';
import type { AppDirectory } from './app-directory.ts';
import type { AppHosts } from './app-hosts.ts';
import { type AppPage, rawAnswer, rawPage, sendPage } from './app-page.ts';
import { type AppSessions, type Proof, proofOf } from './app-sessions.ts';
import { isOurs, NOT_SIGNED_IN, type PresentedProof, peerOf } from './app-visit.ts';
import { badRequest, brokenRequest } from './broken-request.ts';
import { CachedHeaders } from './cached-headers.ts';
import type { ElsewhereApps } from './elsewhere/elsewhere-apps.ts';
import { createElsewhereDoor, type ElsewhereDoorDeps } from './elsewhere/elsewhere-door.ts';
import { proxyUpgrade } from './engine/proxy-upgrade.ts';
import { type AppCookies, type RequestFacts, readAppCookies, readRequest } from './engine/read-request.ts';
import { writeRequestHead } from './engine/request-head.ts';
import { passHeaders } from './engine/response-rules.ts';
import { failurePage } from './failure-page.ts';
import type { LaunchDoor, Visit } from './launch-door.ts';
import type { LiveAppSession } from './live-app-session.ts';

export interface AppDoorDeps extends Pick<ElsewhereDoorDeps, 'identity'> {
  hosts: AppHosts;
  directory: AppDirectory;
  sessions: AppSessions;
  launch: LaunchDoor;
  /** Applications of other clusters, at hosts of this one. */
  elsewhere: ElsewhereApps;
  clientAddress: ClientAddress;
  log: Log;
}

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);
type Carried = Pick<Visit, 'method' | 'url' | 'facts'>;

/** How a request came, and how its answer goes back. */
interface Exchange extends Pick<Proxied, 'head' | 'body' | 'source' | 'answer'> {
  /** Instead of an answer of the application. */
  tell(page: AppPage): void;
}

export function createAppDoor(deps: AppDoorDeps): HostDoor {
  const { hosts, directory, sessions, launch, elsewhere, clientAddress, log } = deps;
  const beyond = createElsewhereDoor(deps);
  const sorry = (error: unknown): AppPage => ({ ...failurePage(error), console: hosts.console() });
  const testOf = ({ cluster, name }: LiveAppSession['app']['resource']) =>
    `${hosts.console()}${pagePath('apps', { clusterId: cluster })}?${new URLSearchParams({ open: name, tab: 'test' })}`;
  const visitors = new WeakMap<HeaderBlock, CachedHeaders>();

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
    const wrong = brokenRequest(request, facts);
    if (wrong) {
      if (request.httpVersionMajor === 1) response.setHeader('connection', 'close');
      sendPage(response, wrong, facts.isPage);
      return;
    }
    const visit = visitOf(request, facts);
    const cookies = cookiesOf(facts);
    const proof = proofOf(cookies, facts.userAgent);
    const known = cookies.session === '' ? undefined : sessions.known(proof);
    if (elsewhere.isHost(visit.host)) {
      beyond.request({ cookies, proof }, visit, request, response);
      return;
    }
    const failed = (error: unknown) => {
      log.error({ error }, 'a request on the host of an application failed');
      if (response.headersSent) abortResponse(response);
      else sendPage(response, sorry(error), facts.isPage);
    };
    if (!known || isOurs(visit.url)) {
      answer({ cookies, proof }, visit, request, response).catch(contain(peerOf(response), failed));
      return;
    }
    try {
      pass(known, { cookies, proof }, visit, request, response);
    } catch (error) {
      failed(error);
    }
  }

  function cookiesOf(facts: RequestFacts): AppCookies {
    return readAppCookies(facts.cookie, hosts.isSecure() ? '__Host-' : '');
  }

  async function answer(shown: PresentedProof, visit: Visit, request: ClientRequest, response: ClientResponse) {
    const { cookies, proof } = shown;
    if (isOurs(visit.url)) {
      const live = cookies.session === '' ? undefined : await sessions.find(cookies.session);
      const own = live && fits(live, proof, visit) ? live : undefined;
      await launch.serve(visit, request, response, own);
      return;
    }
    const live = cookies.session === '' ? undefined : await sessions.find(cookies.session);
    if (live) pass(live, shown, visit, request, response);
    else launch.begin(visit, response);
  }

  /** Both cookies, this browser, this host: one that is missing is as good as none. */
  function fits(live: LiveAppSession, proof: Proof, { host, address }: Pick<Visit, 'host' | 'address'>): boolean {
    return !live.end && live.app.host === host && sessions.fits(live, proof, address);
  }

  function pass(
    live: LiveAppSession,
    { cookies, proof }: PresentedProof,
    visit: Visit,
    request: ClientRequest,
    response: ClientResponse,
  ): void {
    const { facts, method, url } = visit;
    if (!fits(live, proof, visit)) {
      launch.begin(visit, response);
      return;
    }
    if (isAboveStart(live, url)) {
      response.writeHead(302, { location: `${live.app.address.path}${url.slice(1)}`, 'cache-control': 'no-store' });
      response.end();
      return;
    }
    const body = bodyOf(request, facts);
    const line = { method, url, raw: request.rawHeaders, facts, cookie: cookies.rest, body };
    carry(live, visit, {
      head: writeRequestHead(line, live.rules),
      body,
      source: request,
      answer: new NodeAnswer(response),
      tell(page) {
        if (response.headersSent || response.writableEnded) abortResponse(response);
        else sendPage(response, page, facts.isPage);
      },
    });
  }

  /** Without what Node does for every request; whatever needs more than to be passed on comes again by the other way. */
  function simple({ method, url, headers, peer }: SimpleRequest, answer: SimpleAnswer): boolean {
    const visitor = visitorOf(headers);
    if (!visitor || isOurs(url)) return false;
    const { facts, proof, host } = visitor;
    const live = sessions.known(proof);
    if (!live || !fits(live, proof, { host, address: clientAddress(peer, facts.forwardedFor) })) return false;
    if (isAboveStart(live, url)) return false;
    const tell = (page: AppPage) => {
      if (answer.begun) answer.destroy();
      else answer.endWith(rawPage(page, facts.isPage, method));
    };
    const lines = headersOr(visitor, live);
    if (lines === undefined) return false;
    const head = `${method} ${url} HTTP/1.1\r\n${lines}`;
    carry(live, { method, url, facts }, { head, body: 'none', source: undefined, answer, tell });
    return true;
  }

  /** The same headers say the same every time: who they are of is asked anew for each request, what they say is not. */
  function visitorOf(headers: HeaderBlock): CachedHeaders | undefined {
    const known = visitors.get(headers);
    if (known) return known;
    const facts = readRequest(headers.raw);
    const cookies = cookiesOf(facts);
    if (facts.host === undefined || facts.ambiguous || cookies.session === '') return undefined;
    if (!directory.isAppHost(facts.host)) return undefined;
    const visitor = new CachedHeaders(headers.raw, facts, cookies.rest, proofOf(cookies, facts.userAgent), facts.host);
    visitors.set(headers, visitor);
    return visitor;
  }

  function carry(live: LiveAppSession, { method, url, facts }: Carried, way: Exchange): void {
    sessions.touch(live, facts.isPage || !READING.has(method));
    live.begin();
    let over = false;
    let cut: (() => void) | undefined;
    const { head, body, source, answer } = way;
    cut = proxyRequest({
      method,
      head,
      body,
      source,
      answer,
      pool: live.pool,
      passHeaders: (headers) => passHeaders(headers, live.rules),
      door: 'app host',
      onDone(status) {
        over = true;
        if (cut) live.remove(cut);
        live.tell({ method, url, status });
      },
      onUnreachable(error) {
        log.info({ app: live.app.resource.name, error: errorMessage(error) }, 'an application cannot be reached');
        way.tell({ ...sorry(error), test: testOf(live.app.resource) });
      },
    });
    if (!over) live.add(cut);
  }

  async function passUpgrade(request: IncomingMessage, socket: Duplex, rest: Buffer): Promise<void> {
    const facts = readRequest(request.rawHeaders);
    const refuse = (page: AppPage) => closeSoon(socket, rawAnswer(page));
    const wrong = brokenRequest(request, facts);
    if (wrong) return refuse(wrong);
    if (facts.chunked || (facts.contentLength !== undefined && facts.contentLength !== '0'))
      return refuse(badRequest('it has a body and wants another protocol'));
    // Inside any other protocol a client could speak to the application without us, and under any name.
    if (request.headers.upgrade?.toLowerCase() !== 'websocket')
      return refuse(badRequest('it wants a protocol that is not passed on'));
    const visit = visitOf(request, facts);
    const cookies = cookiesOf(facts);
    const proof = proofOf(cookies, facts.userAgent);
    if (elsewhere.isHost(visit.host)) return await beyond.upgrade({ cookies, proof }, visit, { request, socket, rest });
    const live = cookies.session === '' ? undefined : await sessions.find(cookies.session);
    if (!live || !fits(live, proof, visit)) return refuse(NOT_SIGNED_IN);
    live.begin();
    sessions.touch(live, true);
    let over = false;
    let cut: (() => void) | undefined;
    cut = proxyUpgrade({
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
        if (cut) live.remove(cut);
        live.tell({ method: 'GET', url: visit.url, status });
      },
      onUnreachable: (error) => refuse(failurePage(error)),
    });
    if (!over) live.add(cut);
  }

  return {
    isAppHost: (host) => directory.isAppHost(host),
    request,
    simple,
    upgrade(request, socket, rest) {
      socket.on('error', () => socket.destroy());
      passUpgrade(request, socket, rest).catch((error: unknown) => {
        log.error({ error }, 'a websocket of an application failed');
        socket.destroy();
      });
    },
  };
}

/** Undefined where they cannot be written: the other way then tells why. */
function headersOr(visitor: CachedHeaders, { rules }: LiveAppSession): string | undefined {
  try {
    return visitor.headersFor(rules);
  } catch {
    return undefined;
  }
}

/** The application has its first page elsewhere than at the top. */
function isAboveStart({ app }: LiveAppSession, url: string): boolean {
  return app.address.path !== '/' && (url === '/' || url.startsWith('/?'));
}
