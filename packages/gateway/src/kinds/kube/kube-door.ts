/**
 * The door of programs to Kubernetes clusters: `/v1/kube/NAME/…` at the gateway's own names. They show a pass and nothing else:
 * no cookie is read here, and what a browser sends from a page is refused.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { KUBE_DOOR } from '@gatehouse/contract/kinds/kube/kube-pass';
import { closeSoon } from '@gatehouse/tunnel/close-soon';
import { contain } from '@gatehouse/tunnel/contain';
import type { Identity } from '../../identity/identity.ts';
import type { FailureLimit } from '../../platform/http/failure-limit.ts';
import type { ClientAddress } from '../../platform/http/hosts/client-address.ts';
import type { PathDoor } from '../../platform/http/hosts/host-door.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Log } from '../../platform/std/log.ts';
import { storeFailure } from '../../platform/storage/store-failure.ts';
import { abortResponse } from '../../reach/http/abort-response.ts';
import { NodeAnswer } from '../../reach/http/client-answer.ts';
import { bodyOf } from '../../reach/http/proxy-request.ts';
import { readKubeRequest } from './engine/kube-request.ts';
import { readAskedIdentity } from './engine/request-headers.ts';
import type { KubeCalls, KubeEntered } from './kube-calls.ts';
import type { KubePass } from './kube-pass-store.ts';
import type { KubePasses } from './kube-passes.ts';
import { type KubeStatus, notSignedIn, statusBody, statusOf } from './kube-refusal.ts';

export interface KubeDoorDeps {
  identity: Pick<Identity, 'callerOf' | 'active'>;
  passes: Pick<KubePasses, 'find'>;
  calls: KubeCalls;
  failures: FailureLimit;
  clientAddress: ClientAddress;
  streams: KubeStreams;
  log: Log;
}

/** Serves what changes the protocol: exec, attach and port-forward. Throws what is answered instead. */
export type KubeStreams = (entered: KubeEntered, client: KubeStreamClient) => Promise<void>;

export interface KubeStreamClient {
  request: IncomingMessage;
  socket: Duplex;
  /** What came behind the request. */
  rest: Buffer;
  address: string;
}

const TARGET = new RegExp(`^${KUBE_DOOR}([a-z0-9][a-z0-9.-]{0,62})(/.*)$`, 's');
const BEARER = /^Bearer ([!-~]+)$/i;
const NO_PASS =
  'no valid pass was shown: run gatehouse kube login, and let kubectl ask for one by what that writes into your kubeconfig';
const UNPROVEN = 'a role of yours asks for a second factor at every connection: ask for another pass';

export function createKubeDoor(deps: KubeDoorDeps): PathDoor {
  const { log } = deps;

  async function admit(raw: IncomingMessage, requestId: string): Promise<{ entered: KubeEntered; address: string }> {
    const { headers, url = '', method = '' } = raw;
    const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',');
    const address = deps.clientAddress(raw.socket.remoteAddress, forwarded);
    if (headers.origin !== undefined) throw new AppError('denied', 'pages of the web are not served here');
    const [, name = '', target = ''] = TARGET.exec(url) ?? [];
    const pass = await passOf(headers.authorization, address);
    // A pass is good for one cluster; for another one it is none.
    if (!pass || pass.cluster !== name) throw notSignedIn(NO_PASS);
    const { username, signInId, factorProven } = pass;
    const entered = await deps.calls.enter({
      visitor: {
        caller: deps.identity.callerOf({ username, signInId, address }),
        address,
        call: 'kubernetes',
        holder: pass.hash,
        async proveFactor() {
          // Programs ask for another pass when they are told that theirs is none.
          if (!factorProven) throw notSignedIn(UNPROVEN);
        },
      },
      name,
      asked: readAskedIdentity(raw.rawHeaders),
      request: readKubeRequest(method, target),
      requestId,
    });
    if (method !== 'GET' && method !== 'HEAD') deps.identity.active(signInId);
    return { entered, address };
  }

  async function passOf(authorization: string | undefined, address: string): Promise<KubePass | undefined> {
    const [, token] = BEARER.exec(authorization ?? '') ?? [];
    if (token === undefined) return undefined;
    deps.failures.check(address);
    return await deps.failures.run(
      address,
      () => deps.passes.find(token),
      (pass) => pass === undefined,
    );
  }

  const tellFailure = (error: unknown, requestId: string): KubeStatus => {
    const known = storeFailure(error) ?? error;
    const status = statusOf(known, requestId);
    if (status.code === 500) log.error({ error: known, requestId }, 'a request to a Kubernetes cluster failed');
    return status;
  };

  async function serve(raw: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestId = randomUUID();
    const refuse = (error: unknown) => answerStatus(raw, response, tellFailure(error, requestId), requestId);
    try {
      const { entered } = await admit(raw, requestId);
      const announced = {
        chunked: raw.headers['transfer-encoding'] !== undefined,
        contentLength: raw.headers['content-length'],
      };
      await deps.calls.carry(entered, {
        headers: raw.rawHeaders,
        body: bodyOf(raw, announced),
        source: raw,
        answer: new NodeAnswer(response),
        hasLeft: () => raw.socket.destroyed,
        refuse,
      });
    } catch (error) {
      refuse(error);
    }
  }

  async function serveUpgrade(raw: IncomingMessage, socket: Duplex, rest: Buffer): Promise<void> {
    const requestId = randomUUID();
    try {
      const { entered, address } = await admit(raw, requestId);
      const { verb, subresource } = entered.request;
      if (verb !== 'exec' && (verb !== 'portforward' || subresource !== 'portforward'))
        throw new AppError('bad_request', 'nothing there changes its protocol');
      await deps.streams(entered, { request: raw, socket, rest, address });
    } catch (error) {
      closeSoon(socket, rawStatus(tellFailure(error, requestId), requestId));
    }
  }

  return {
    isMeant: (url) => url.startsWith(KUBE_DOOR),
    request(request, response) {
      const peer = { where: 'kubernetes', cut: () => abortResponse(response) };
      serve(request, response).catch(contain(peer, () => abortResponse(response)));
    },
    upgrade(request, socket, rest) {
      socket.on('error', () => socket.destroy());
      const peer = { where: 'kubernetes', cut: () => socket.destroy() };
      serveUpgrade(request, socket, rest).catch(contain(peer, () => socket.destroy()));
    },
  };
}

function headersOf(body: Buffer, requestId: string): [string, string][] {
  return [
    ['content-type', 'application/json'],
    ['content-length', String(body.length)],
    ['cache-control', 'no-store'],
    ['x-content-type-options', 'nosniff'],
    ['x-request-id', requestId],
  ];
}

function answerStatus(request: IncomingMessage, response: ServerResponse, status: KubeStatus, requestId: string): void {
  if (response.headersSent || response.writableEnded) {
    abortResponse(response);
    return;
  }
  const body = statusBody(status);
  // What was sent along is not waited for.
  if (!request.complete) response.setHeader('connection', 'close');
  response.writeHead(status.code, Object.fromEntries(headersOf(body, requestId)));
  response.end(request.method === 'HEAD' ? undefined : body);
}

function rawStatus(status: KubeStatus, requestId: string): string {
  const body = statusBody(status);
  const lines = headersOf(body, requestId).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status.code} ${status.reason}\r\n${lines.join('')}connection: close\r\n\r\n${body.toString()}`;
}
