/** The door of applications of other clusters: a browser shows its two cookies here, and its requests go on to that cluster. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { APP_LOGOUT_PATH } from '@gatehouse/contract/kinds/app/apps';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { closeSoon } from '@gatehouse/tunnel/close-soon';
import { contain } from '@gatehouse/tunnel/contain';
import type { Identity } from '../../../identity/identity.ts';
import type { Log } from '../../../platform/std/log.ts';
import { abortResponse } from '../../../reach/http/abort-response.ts';
import { NodeAnswer } from '../../../reach/http/client-answer.ts';
import { bodyOf, type ClientRequest, type ClientResponse, proxyRequest } from '../../../reach/http/proxy-request.ts';
import type { AppHosts } from '../app-hosts.ts';
import { type AppPage, rawAnswer, sendPage } from '../app-page.ts';
import { isOurs, NOT_SIGNED_IN, type PresentedProof, peerOf } from '../app-visit.ts';
import { proxyUpgrade } from '../engine/proxy-upgrade.ts';
import { writeRequestHead } from '../engine/request-head.ts';
import { passHeaders } from '../engine/response-rules.ts';
import { failurePage } from '../failure-page.ts';
import type { LaunchDoor, Visit } from '../launch-door.ts';
import type { ElsewhereApps } from './elsewhere-apps.ts';
import type { ElsewhereSession } from './elsewhere-session.ts';

export interface ElsewhereDoorDeps {
  hosts: AppHosts;
  elsewhere: ElsewhereApps;
  launch: LaunchDoor;
  identity: Pick<Identity, 'active'>;
  log: Log;
}

interface Upgrade {
  request: IncomingMessage;
  socket: Duplex;
  rest: Buffer;
}

export function createElsewhereDoor({ hosts, elsewhere, launch, identity, log }: ElsewhereDoorDeps) {
  const sorry = (error: unknown): AppPage => ({ ...failurePage(error), console: hosts.console() });

  async function own({ cookies, proof }: PresentedProof, visit: Visit): Promise<ElsewhereSession | undefined> {
    const live = cookies.session === '' ? undefined : await elsewhere.find(cookies.session);
    return live && live.host === visit.host && elsewhere.fits(live, proof, visit.address) ? live : undefined;
  }

  async function answer(shown: PresentedProof, visit: Visit, request: ClientRequest, response: ClientResponse) {
    const live = await own(shown, visit);
    if (isOurs(visit.url)) {
      if (live && visit.url.startsWith(APP_LOGOUT_PATH)) await elsewhere.end(live);
      return await launch.serve(visit, request, response, undefined);
    }
    if (!live) return launch.begin(visit, response);
    identity.active(live.stored.signIn);
    const { facts, method, url } = visit;
    const body = bodyOf(request, facts);
    const line = { method, url, raw: request.rawHeaders, facts, cookie: shown.cookies.rest, body };
    let cut: (() => void) | undefined;
    let isOver = false;
    cut = proxyRequest({
      ...{ method, body, source: request, answer: new NodeAnswer(response), pool: live.pool, door: 'app host' },
      head: writeRequestHead(line, live.rules),
      passHeaders: (headers) => passHeaders(headers, live.rules),
      onDone() {
        isOver = true;
        if (cut) live.remove(cut);
      },
      onUnreachable(error) {
        log.info({ cluster: live.at.cluster, error: errorMessage(error) }, 'an application elsewhere is not reached');
        if (response.headersSent || response.writableEnded) abortResponse(response);
        else sendPage(response, sorry(error), facts.isPage);
      },
    });
    if (!isOver) live.add(cut);
  }

  return {
    request(shown: PresentedProof, visit: Visit, request: ClientRequest, response: ClientResponse): void {
      const failed = (error: unknown) => {
        log.error({ error }, 'a request on the host of an application failed');
        if (response.headersSent) abortResponse(response);
        else sendPage(response, sorry(error), visit.facts.isPage);
      };
      answer(shown, visit, request, response).catch(contain(peerOf(response), failed));
    },
    async upgrade(shown: PresentedProof, visit: Visit, { request, socket, rest }: Upgrade): Promise<void> {
      const refuse = (page: AppPage) => closeSoon(socket, rawAnswer(page));
      const live = await own(shown, visit);
      if (!live) return refuse(NOT_SIGNED_IN);
      let cut: (() => void) | undefined;
      let isOver = false;
      cut = proxyUpgrade({
        ...{ request, socket, rest, facts: visit.facts, cookie: shown.cookies.rest, rules: live.rules },
        open: () => live.pool.open('upgrade'),
        onInput: () => identity.active(live.stored.signIn),
        onDone() {
          isOver = true;
          if (cut) live.remove(cut);
        },
        onUnreachable: (error) => refuse(failurePage(error)),
      });
      if (!isOver) live.add(cut);
    },
  };
}
