/**
 * Requests to Kubernetes clusters in somebody's name. Whoever asks, a program at the door or a page of the console, comes through
 * here: what was read is what is decided, told to the log and sent.
 */
import { type Duplex, Readable } from 'node:stream';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import type { AccessControl } from '../../access/create-access.ts';
import type { SecretBox } from '../../platform/secrets/secret-box.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Db } from '../../platform/storage/tables.ts';
import type { ClientAnswer } from '../../reach/http/client-answer.ts';
import { proxyRequest, type RequestBody } from '../../reach/http/proxy-request.ts';
import type { ResponseHead } from '../../reach/http/response-head.ts';
import { UpstreamFault } from '../../reach/http/upstream-fault.ts';
import { answerHeaders } from './answer-headers.ts';
import { type BodyFindings, findInBody, isReadBody } from './body-findings.ts';
import { decideRequest, type RequestDecision } from './decide-request.ts';
import { FilteredAnswer } from './engine/filter/filtered-answer.ts';
import type { KubeRequest } from './engine/kube-request.ts';
import { makesAbsent } from './engine/makes-absent.ts';
import { readNamedBody } from './engine/named-body.ts';
import type { AskedIdentity, HeaderPair } from './engine/request-headers.ts';
import { type KubeAnswer, StreamAnswer } from './engine/stream-answer.ts';
import { WatchAnswer } from './engine/watch-answer.ts';
import { readWholeBody } from './engine/whole-body.ts';
import { CredentialRefused, type KubeCredentials } from './kube-credentials.ts';
import { KubeRefusal, statusBody, statusOf } from './kube-refusal.ts';
import type { KubeUse, KubeUses, KubeVisitor } from './kube-use.ts';
import { findSeenKube, type ListedKube } from './listed-kube.ts';
import { writeRequestHead } from './request-head.ts';
import { openContinue, sealContinue } from './sealed-continue.ts';
import { type TellRequestsDeps, tellFindings, tellRequest } from './tell-requests.ts';

export interface KubeCallsDeps extends TellRequestsDeps {
  db: Db;
  access: AccessControl;
  uses: KubeUses;
  credentials: Pick<KubeCredentials, 'forget'>;
  clusterName: string;
  box: Pick<SecretBox, 'seal' | 'openText'>;
}

export interface KubeEntry {
  visitor: KubeVisitor;
  /** The name of the cluster. */
  name: string;
  asked?: AskedIdentity;
  request: KubeRequest;
  requestId: string;
}

/** Somebody who may ask for what they ask for. */
export interface KubeEntered {
  use: KubeUse;
  request: KubeRequest;
  requestId: string;
  decision: RequestDecision;
  /** To the log, once, with how it was answered. False: it was told before. */
  tell(status: number): boolean;
  /** What the body asks for, once it was taken. */
  tellFound(found: BodyFindings): void;
}

export interface KubeCarried {
  /** Names and values in turn, as whoever asks sent them. */
  headers: readonly string[];
  body: RequestBody;
  /** Where the body comes from, if there is one. */
  source: Readable | undefined;
  answer: ClientAnswer;
  /** Whoever leaves while it is decided is not heard to leave afterwards: for them a watch would stay open. */
  hasLeft?(): boolean;
  /** Nothing was answered yet: whoever asked is told here. */
  refuse(error: unknown): void;
}

export interface KubeUpgraded {
  head: ResponseHead;
  stream: Duplex;
  /** What came behind the head. */
  rest: Buffer;
}

export interface KubeCalls {
  /** Decides; throws why not, which is told to the log. */
  enter(entry: KubeEntry): Promise<KubeEntered>;
  carry(entered: KubeEntered, carried: KubeCarried): Promise<void>;
  /** For what the gateway asks by itself; throws why there is no answer. Aborting ends it. */
  ask(
    entry: KubeEntry,
    wanted?: { headers?: readonly HeaderPair[]; body?: Buffer },
    signal?: AbortSignal,
  ): Promise<KubeAnswer>;
  /** Asks for another protocol; what the cluster answers instead comes as an answer. The stream ends with the use. */
  upgrade(
    entered: KubeEntered,
    wanted: { headers: readonly string[]; further: readonly HeaderPair[] },
  ): Promise<KubeUpgraded | KubeAnswer>;
}

/** As other servers write of a client that did not wait for its answer. */
const LEFT = 499;
const NOBODY_ASKED: AskedIdentity = { user: undefined, groups: [] };

export function createKubeCalls(deps: KubeCallsDeps): KubeCalls {
  async function enter({ visitor, name, asked = NOBODY_ASKED, request, requestId }: KubeEntry): Promise<KubeEntered> {
    const actor = await visitor.caller.now();
    if (actor.isOwner) throw new AppError('denied', 'sign in as a user to reach Kubernetes clusters');
    const cluster = await findSeenKube(deps, actor, name);
    let told = false;
    let decision: RequestDecision | undefined;
    const tell = (status: number) => {
      if (told) return false;
      told = true;
      tellRequest(deps, { visitor, resource: cluster.resource, who: decision?.who, request, requestId }, status);
      return true;
    };
    const tellFound = (found: BodyFindings) =>
      tellFindings(deps, { visitor, resource: cluster.resource, who: decision?.who, request, requestId }, found);
    try {
      decision = decideRequest(deps, actor, { cluster, request, asked });
      const use = await deps.uses.open(visitor, cluster, decision.who, requestId);
      const why = use.isFresh ? decision.whyOver(await visitor.caller.now()) : undefined;
      if (why !== undefined) throw forbidden(why);
      return { use, request, requestId, decision, tell, tellFound };
    } catch (error) {
      tell(statusOf(error, requestId).code);
      throw error;
    }
  }

  async function carry(entered: KubeEntered, carried: KubeCarried): Promise<void> {
    const { use, request, requestId, decision, tell } = entered;
    const { refuse } = carried;
    const failed = (error: unknown) => {
      const refusal = asRefusal(error);
      tell(statusOf(refusal, requestId).code);
      refuse(refusal);
    };
    let why: string | undefined;
    // What is read first may be long in coming: it is sent by the roles of then.
    const part = use.hosted.parts.attach({
      onTerms(owner) {
        why ??= decision.whyOver(owner);
      },
    });
    try {
      if (makesAbsent(request, carried.headers)) decision.requireMake();
      const { sent, found } = await readFirst(entered, carried);
      const isFiltered = decision.allows !== undefined;
      const owner = { username: use.caller.username, cluster: use.cluster.resource.id };
      const asked = openContinue(deps.box, owner, request, isFiltered);
      const wanted = { request: asked, requestId, headers: sent.headers, body: sent.body };
      const head = await writeRequestHead(use, wanted, { isFiltered });
      why ??= use.hosted.end?.message;
      if (why !== undefined) throw forbidden(why);
      if (carried.hasLeft?.()) {
        tell(LEFT);
        return;
      }
      send(entered, sent, { head, failed, found });
    } catch (error) {
      failed(error);
    } finally {
      part();
    }
  }

  function send(
    { use, request, requestId, decision, tell, tellFound }: KubeEntered,
    { body, source, answer }: KubeCarried,
    { head, failed, found }: { head: string; failed(error: unknown): void; found: BodyFindings | undefined },
  ): void {
    const rest = use.begin();
    const watched = request.isWatch ? new WatchAnswer(answer) : undefined;
    const told = watched ?? answer;
    const { allows } = decision;
    const owner = { username: use.caller.username, cluster: use.cluster.resource.id };
    const seal = (token: string) => sealContinue(deps.box, owner, request, token);
    const onUnfilterable = (error: unknown) => {
      failed(error);
      cut?.();
    };
    let isOver = false;
    let hasBegun = false;
    let cut: (() => void) | undefined;
    const stop = (why: string) => {
      if (isOver) return;
      // Whoever watches is told why; in any other answer one more word would be taken for a part of it.
      if (!hasBegun) failed(forbidden(why));
      else watched?.endWith(statusBody(statusOf(forbidden(why), requestId)));
      isOver = true;
      cut?.();
    };
    const part = use.hosted.parts.attach({
      // What rules say of objects is not what the session host decides by.
      onTerms(owner) {
        const why = decision.whyOver(owner);
        if (why !== undefined) stop(why);
      },
    });
    const unhear = whenAborted(use.signal, () => stop(use.hosted.end?.message ?? 'it is over'));
    const done = () => {
      isOver = true;
      part();
      unhear();
      rest();
      // Unless it was answered: who sends and leaves has done it all the same.
      queueMicrotask(() => {
        if (tell(LEFT) && found) tellFound(found);
      });
    };
    if (isOver) {
      done();
      return;
    }
    cut = proxyRequest({
      method: request.method,
      head,
      body,
      source,
      answer: allows
        ? new FilteredAnswer(told, { allows, isWatch: request.isWatch, sealContinue: seal, onUnfilterable })
        : told,
      pool: use.pool,
      door: 'kubernetes',
      checkStatus: (status) => checkTaken(request, use.cluster, status),
      passHeaders(headers, status) {
        hasBegun = true;
        tell(status);
        if (found && status < 300) tellFound(found);
        return answerHeaders(headers, use.cluster, requestId);
      },
      onDone: done,
      onUnreachable: failed,
    });
  }

  /** A cluster's 401 is about the gateway: programs would take it for their pass, and ask for another for ever. */
  function checkTaken({ subresource }: KubeRequest, cluster: ListedKube, status: number): void {
    // What lies behind its proxy has passwords of its own.
    if (status !== 401 || subresource === 'proxy') return;
    // An agent may have another by now.
    deps.credentials.forget(cluster);
    throw new CredentialRefused(cluster);
  }

  async function upgrade(
    { use, request, requestId, tell }: KubeEntered,
    { headers, further }: { headers: readonly string[]; further: readonly HeaderPair[] },
  ): Promise<KubeUpgraded | KubeAnswer> {
    const head = await writeRequestHead(use, { request, headers, body: 'none', requestId }, { further });
    const connection = await use.pool.open('upgrade');
    const answer = new StreamAnswer();
    const { promise, resolve, reject } = Promise.withResolvers<KubeUpgraded | KubeAnswer>();
    answer.onLeave = () => connection.destroy();
    answer.onDrain = () => connection.resume();
    connection.send(head, request.method, 'none', {
      onHead(answered) {
        checkTaken(request, use.cluster, answered.status);
        tell(answered.status);
        answer.writeHead(answered.status, answered.reason, answerHeaders(answered.headers, use.cluster, requestId));
      },
      onData: (data, release) => answer.write(data, release),
      onEnd: () => answer.end(),
      onFault(fault) {
        reject(fault);
        answer.fail(fault);
      },
      onUpgrade(answered, stream, rest) {
        tell(answered.status);
        whenAborted(use.signal, () => stream.destroy());
        resolve({ head: answered, stream, rest });
      },
    });
    answer.head.then(resolve, reject);
    return await promise.catch((error: unknown) => {
      throw asRefusal(error);
    });
  }

  return {
    enter,
    carry,
    upgrade,
    async ask(entry, { headers = [], body } = {}, signal) {
      signal?.throwIfAborted();
      const entered = await enter(entry);
      const answer = new StreamAnswer();
      const unhear = whenAborted(signal, () => answer.fail(new Error('nobody waits any more')));
      await carry(entered, {
        headers: [...headers.flat(), ...(body ? ['content-length', String(body.length)] : [])],
        body: body ? 'length' : 'none',
        source: body && Readable.from([body]),
        answer,
        refuse: (error) => answer.fail(error),
      });
      const got = await answer.head;
      got.body.on('close', unhear);
      return got;
    },
  };
}

interface ReadFirst {
  sent: KubeCarried;
  found?: BodyFindings;
}

/** What must be known of a body is read before it is sent; any other passes as it comes. */
async function readFirst({ request, decision }: KubeEntered, carried: KubeCarried): Promise<ReadFirst> {
  const body = await (decision.requireName ? named(carried, decision.requireName) : readable(request, carried));
  if (!body) return { sent: carried };
  const kept = carried.headers.filter((_, at, all) => all[at - (at % 2)]!.toLowerCase() !== 'content-length');
  const headers = [...kept, 'content-length', String(body.length)];
  const sent: KubeCarried = { ...carried, headers, body: 'length', source: Readable.from([body]) };
  return { sent, found: findInBody(request, body) };
}

/** What is made under a name that rules are about: decided by what is sent, and nothing else of it is. */
async function named({ headers, source }: KubeCarried, require: (name: string) => void): Promise<Buffer> {
  const { name, body } = await readNamedBody(headers, source);
  if (name === '')
    throw forbidden('your roles say which names you may make there: give it one, and leave none to the cluster');
  require(name);
  return body;
}

async function readable(request: KubeRequest, { body, source }: KubeCarried): Promise<Buffer | undefined> {
  return body === 'none' || !isReadBody(request) ? undefined : await readWholeBody(source);
}

function forbidden(message: string): KubeRefusal {
  return new KubeRefusal({ code: 403, message });
}

/** What a cluster does wrong is told as that, and not as a mistake of ours. */
function asRefusal(error: unknown): unknown {
  if (error instanceof CredentialRefused) return new KubeRefusal({ code: 503, message: error.message });
  if (!(error instanceof UpstreamFault)) return error;
  return new KubeRefusal({ code: 503, message: `the Kubernetes cluster cannot be reached: ${error.message}` });
}
