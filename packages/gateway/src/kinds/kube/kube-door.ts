/**
 * The door of programs to Kubernetes clusters: `/v1/kube/NAME/…` at the gateway's own names. They show a pass and nothing else:
 * no cookie is read here, and what a browser sends from a page is refused.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { KUBE_DOOR, kubeDoorName } from '@gatehouse/contract/kinds/kube/kube-pass';
import { closeSoon } from '@gatehouse/tunnel/close-soon';
import { contain } from '@gatehouse/tunnel/contain';
import type { Identity } from '../../identity/identity.ts';
import type { Caller } from '../../platform/http/actor.ts';
import type { FailureLimit } from '../../platform/http/failure-limit.ts';
import type { ClientAddress } from '../../platform/http/hosts/client-address.ts';
import type { PathDoor } from '../../platform/http/hosts/host-door.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Log } from '../../platform/std/log.ts';
import { storeFailure } from '../../platform/storage/store-failure.ts';
import { abortResponse } from '../../reach/http/abort-response.ts';
import { NodeAnswer } from '../../reach/http/client-answer.ts';
import { bodyOf } from '../../reach/http/proxy-request.ts';
import type { ElsewhereVisit, KubeElsewhere } from './elsewhere/kube-elsewhere.ts';
import { readKubeRequest } from './engine/kube-request.ts';
import { readAskedIdentity } from './engine/request-headers.ts';
import type { KubeCalls, KubeEntered } from './kube-calls.ts';
import type { KubePass } from './kube-pass-store.ts';
import type { KubePasses } from './kube-passes.ts';
import { type KubeStatus, notSignedIn, statusBody, statusOf, warningOf } from './kube-refusal.ts';

/** Somebody whose program came to the door of another cluster, which vouches for them. */
export interface RelayedProgram {
  caller: Caller;
  address: string;
  /** The Kubernetes cluster that it was led to. */
  name: string;
}

export interface KubeDoor extends PathDoor {
  /** The same for who is led here by another cluster; they show a pass of this one as well. */
  relayed: {
    request(program: RelayedProgram, request: IncomingMessage, response: ServerResponse): void;
    upgrade(program: RelayedProgram, request: IncomingMessage, socket: Duplex, rest: Buffer): void;
  };
}

export interface KubeDoorDeps {
  identity: Pick<Identity, 'callerOf' | 'active'>;
  passes: Pick<KubePasses, 'find'>;
  calls: KubeCalls;
  failures: FailureLimit;
  clientAddress: ClientAddress;
  streams: KubeStreams;
  elsewhere: KubeElsewhere;
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

/** `NAME`, or `NAME+CLUSTER` of another cluster. */
const TARGET = new RegExp(`^${KUBE_DOOR}([a-z0-9][a-z0-9.-]{0,62})(?:\\+([A-Za-z0-9][A-Za-z0-9.-]{0,62}))?(/.*)$`, 's');
/** What a cluster has, of which clients read no refusal. */
const DISCOVERY = new RegExp(
  `^${KUBE_DOOR}[^/]+/(?:version|openapi/[^?]*|api(?:/v1)?|apis(?:/[^/?]+){0,2})/?(?:[?]|$)`,
);
const BEARER = /^Bearer ([!-~]+)$/i;
/** Of another cluster: the pass of this one, and that of the other. */
const TWO_PASSES = /^([0-9a-f]{64})\.([0-9a-f]{64})$/;
const NO_PASS =
  'no valid pass was shown: run gatehouse kube login, and let kubectl ask for one by what that writes into your kubeconfig';
const UNPROVEN = 'a role of yours asks for a second factor at every connection: ask for another pass';

export function createKubeDoor(deps: KubeDoorDeps): KubeDoor {
  const { log } = deps;

  function read(raw: IncomingMessage, program: RelayedProgram | undefined) {
    const { headers, url = '' } = raw;
    const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',');
    const address = program?.address ?? deps.clientAddress(raw.socket.remoteAddress, forwarded);
    if (headers.origin !== undefined) throw new AppError('denied', 'pages of the web are not served here');
    const [, name = '', cluster, target = ''] = TARGET.exec(url) ?? [];
    const [, token] = BEARER.exec(headers.authorization ?? '') ?? [];
    return { address, name, cluster, target, token };
  }

  type Read = ReturnType<typeof read>;

  /** Undefined: the Kubernetes cluster is one of this cluster. */
  async function beyond(
    { address, name, cluster, target, token }: Read,
    requestId: string,
  ): Promise<Omit<ElsewhereVisit, 'refuse'> | undefined> {
    if (cluster === undefined) return undefined;
    const [, own, there] = TWO_PASSES.exec(token ?? '') ?? [];
    const pass = await passOf(own, address);
    if (!pass || there === undefined || pass.cluster !== kubeDoorName(name, cluster)) throw notSignedIn(NO_PASS);
    return { pass, there, cluster, name, target, address, requestId };
  }

  async function admit(
    raw: IncomingMessage,
    { address, name, target, token }: Read,
    requestId: string,
    program: RelayedProgram | undefined,
  ): Promise<KubeEntered> {
    const { method = '' } = raw;
    const pass = await passOf(token, address);
    // A pass is good for one cluster; for another one it is none.
    if (!pass || pass.cluster !== name) throw notSignedIn(NO_PASS);
    const { username, signInId, factorProven } = pass;
    if (program && !isOf(program, pass)) throw notSignedIn(NO_PASS);
    const entered = await deps.calls.enter({
      visitor: {
        caller: program?.caller ?? deps.identity.callerOf({ username, signInId, address }),
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
    return entered;
  }

  async function passOf(token: string | undefined, address: string): Promise<KubePass | undefined> {
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

  async function serve(raw: IncomingMessage, response: ServerResponse, program?: RelayedProgram): Promise<void> {
    const requestId = randomUUID();
    const refuse = (error: unknown) => {
      if (DISCOVERY.test(raw.url ?? '') && !response.headersSent)
        response.setHeader('warning', warningOf(storeFailure(error) ?? error));
      answerStatus(raw, response, tellFailure(error, requestId), requestId);
    };
    try {
      const asked = read(raw, program);
      const visit = program ? undefined : await beyond(asked, requestId);
      if (visit) {
        if (raw.method !== 'GET' && raw.method !== 'HEAD') deps.identity.active(visit.pass.signInId);
        deps.elsewhere.request({ ...visit, refuse }, raw, response);
        return;
      }
      const entered = await admit(raw, asked, requestId, program);
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

  async function serveUpgrade(
    raw: IncomingMessage,
    socket: Duplex,
    rest: Buffer,
    program?: RelayedProgram,
  ): Promise<void> {
    const requestId = randomUUID();
    const refuse = (error: unknown) => closeSoon(socket, rawStatus(tellFailure(error, requestId), requestId));
    try {
      const asked = read(raw, program);
      const visit = program ? undefined : await beyond(asked, requestId);
      if (visit) {
        deps.identity.active(visit.pass.signInId);
        deps.elsewhere.upgrade({ ...visit, refuse }, { raw, socket, rest });
        return;
      }
      const entered = await admit(raw, asked, requestId, program);
      const { address } = asked;
      const { verb, subresource } = entered.request;
      if (verb !== 'exec' && (verb !== 'portforward' || subresource !== 'portforward'))
        throw new AppError('bad_request', 'nothing there changes its protocol');
      await deps.streams(entered, { request: raw, socket, rest, address });
    } catch (error) {
      refuse(error);
    }
  }

  const request = (raw: IncomingMessage, response: ServerResponse, program?: RelayedProgram) => {
    const peer = { where: 'kubernetes', cut: () => abortResponse(response) };
    serve(raw, response, program).catch(contain(peer, () => abortResponse(response)));
  };
  const upgrade = (raw: IncomingMessage, socket: Duplex, rest: Buffer, program?: RelayedProgram) => {
    socket.on('error', () => socket.destroy());
    const peer = { where: 'kubernetes', cut: () => socket.destroy() };
    serveUpgrade(raw, socket, rest, program).catch(contain(peer, () => socket.destroy()));
  };
  return {
    isMeant: (url) => url.startsWith(KUBE_DOOR),
    request: (raw, response) => request(raw, response),
    upgrade: (raw, socket, rest) => upgrade(raw, socket, rest),
    relayed: {
      request: (program, raw, response) => request(raw, response, program),
      upgrade: (program, raw, socket, rest) => upgrade(raw, socket, rest, program),
    },
  };
}

/** Whoever shows a pass is who the other cluster says, and was led to what the pass is for. */
function isOf({ caller, name }: RelayedProgram, { username, signInId, cluster }: KubePass): boolean {
  return username === caller.username && signInId === caller.signInId && cluster === name;
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
