/** The door of pages that look into Kubernetes clusters, as contract/kinds/kube/browse.ts says: each request is asked as those of programs are. */
import { randomUUID } from 'node:crypto';
import {
  BROWSE_FRAME_BYTES,
  type BrowseOpening,
  type BrowseReply,
  browseOpening,
  browseRequest,
  KUBE_BROWSE_SOCKET,
} from '@gatehouse/contract/kinds/kube/browse';
import { parseJson } from '@gatehouse/contract/std/parse-json';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import type { FastifyRequest } from 'fastify';
import type { RawData, WebSocket } from 'ws';
import { z } from 'zod';
import type { AccessControl } from '../../../access/create-access.ts';
import type { Identity } from '../../../identity/identity.ts';
import type { SignedInSocket } from '../../../identity/sockets/signed-in-socket.ts';
import { SocketFactor } from '../../../identity/sockets/socket-factor.ts';
import type { Sockets } from '../../../identity/sockets/sockets.ts';
import type { EventStream } from '../../../platform/audit/event-stream.ts';
import { sendOrCut } from '../../../platform/http/send-or-cut.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import type { Log } from '../../../platform/std/log.ts';
import { storeFailure } from '../../../platform/storage/store-failure.ts';
import { readKubeRequest } from '../engine/kube-request.ts';
import type { KubeCalls } from '../kube-calls.ts';
import { statusOf } from '../kube-refusal.ts';
import type { KubeUse, KubeVisitor } from '../kube-use.ts';
import { type KubeAsk, readJson } from './answers.ts';
import { BrowseTasks } from './browse-tasks.ts';
import { knownNamespaces } from './known-namespaces.ts';
import { KubeFailure } from './kube-failure.ts';
import { tellReveal } from './tell-reveal.ts';

/** As `statusOf` ends a message. */
const WITH_REQUEST = /^(.*) \(request ([0-9a-f-]{36})\)$/s;
/** Not understood; trying again will not help. */
const BAD_MESSAGE = 1008;
/** On the way to a page that takes nothing: beside data, which waits for the page, only small answers and objects. */
const MAX_UNSENT_BYTES = 32 * 1024 * 1024;
const MAX_VERSION_BYTES = 64 * 1024;

export interface BrowseSocketDeps {
  access: AccessControl;
  identity: Pick<Identity, 'askForFactor' | 'proveAgain'>;
  calls: KubeCalls;
  events: Pick<EventStream, 'write'>;
  log: Log;
  now: () => number;
}

export function serveBrowseSocket(sockets: Sockets, deps: BrowseSocketDeps): void {
  sockets.add(KUBE_BROWSE_SOCKET, 'hello', (opened, request) => new BrowseConnection(deps, opened, request).listen(), {
    refuse: (opened, request, why) => new BrowseConnection(deps, opened, request).refuse(why),
  });
}

const wanted = z.object({ name: z.string().max(253) });
const versionBody = z.object({ gitVersion: z.string().max(64) });

class BrowseConnection {
  readonly #deps: BrowseSocketDeps;
  readonly #opened: SignedInSocket;
  readonly #socket: WebSocket;
  readonly #request: FastifyRequest;
  readonly #over = new AbortController();
  #isAsked = false;
  readonly #factor: SocketFactor;
  #tasks: BrowseTasks | undefined;

  constructor(deps: BrowseSocketDeps, opened: SignedInSocket, request: FastifyRequest) {
    this.#deps = deps;
    this.#opened = opened;
    this.#socket = opened.socket;
    this.#request = request;
    this.#factor = new SocketFactor({
      ...{ identity: deps.identity, caller: opened.caller, request },
      ask: (challenge) => this.#tell({ type: 'factor', challenge }),
    });
  }

  listen(): void {
    this.#socket.on('message', (data: RawData, isBinary: boolean) => this.#hear(data as Buffer, isBinary));
    this.#socket.on('close', () => this.#closed());
  }

  refuse(given: unknown): void {
    const error = storeFailure(given) ?? given;
    const status =
      error instanceof KubeFailure
        ? { ...error, code: error.status, message: error.message }
        : statusOf(error, this.#request.id);
    if (status.code === 500) this.#deps.log.error({ error, requestId: this.#request.id }, 'a cluster cannot be opened');
    const code = error instanceof AppError ? error.code : status.reason;
    const message = error instanceof AppError && error.code !== 'internal' ? error.message : status.message;
    const next = error instanceof AppError && typeof error.fields?.next === 'string' ? error.fields.next : '';
    // What was asked for the page has an id of its own, which its message tells: the page is told that one, once.
    const [, words = message, requestId = this.#request.id] = WITH_REQUEST.exec(message) ?? [];
    this.#tell({
      ...{ type: 'refused', code, message: words, requestId },
      ...(next === '' ? {} : { next }),
    });
    this.#over.abort();
    this.#socket.close(1000, 'refused');
  }

  #hear(data: Buffer, isBinary: boolean): void {
    const message = isBinary || data.length > BROWSE_FRAME_BYTES ? undefined : parseJson(data);
    if (!this.#isAsked) {
      this.#begun(message);
      return;
    }
    const request = browseRequest.safeParse(message).data;
    if (request?.type === 'factor') this.#factor.answer(request);
    else if (request && this.#tasks) {
      // What was taken by a page that nobody looks at is no sign of a person.
      if (request.type !== 'ack') this.#opened.active();
      this.#tasks.hear(request);
    } else this.#misunderstood();
  }

  #begun(message: unknown): void {
    const opening = browseOpening.safeParse(message).data;
    if (!opening) {
      this.#misunderstood();
      return;
    }
    this.#isAsked = true;
    this.#opened.asked();
    this.#open(opening).catch((error: unknown) => this.refuse(error));
  }

  /** It cannot be told what was meant, nor what the page believes now. */
  #misunderstood(): void {
    this.#socket.close(BAD_MESSAGE, 'the message is not understood');
  }

  async #open({ user }: BrowseOpening): Promise<void> {
    const { calls } = this.#deps;
    const { caller, onEnd } = this.#opened;
    const { name } = wanted.parse(this.#request.params);
    const visitor: KubeVisitor = {
      ...{ caller, address: this.#request.ip, call: 'kubernetes browse', holder: `page ${randomUUID()}` },
      proveFactor: () => this.#factor.prove(),
    };
    const asked = { user, groups: [] };
    const ask: KubeAsk = async ({ method, target, headers, body }, signal) => {
      const requestId = randomUUID();
      try {
        const request = readKubeRequest(method, target);
        return await calls.ask(
          { visitor, name, asked, request, requestId },
          { headers, ...(body ? { body } : {}) },
          signal,
        );
      } catch (error) {
        throw this.#failure(error, requestId);
      }
    };
    const request = readKubeRequest('GET', '/version');
    const { use } = await calls.enter({ visitor, name, asked, request, requestId: this.#request.id });
    // For as long as the page is open: without it, one that nobody uses for a minute would be let go of.
    const rest = use.begin();
    whenAborted(this.#over.signal, rest);
    whenAborted(use.signal, () => this.#end(use));
    // With the sign-in it ends as well, which is said first.
    onEnd(() => this.#end(use));
    if (this.#over.signal.aborted) return;
    const version = await this.#version(ask);
    if (this.#over.signal.aborted) return;
    this.#tasks = this.#begin(use, ask);
    const { who } = use;
    this.#tell({ type: 'ready', version, user: who.user, groups: [...who.groups] });
  }

  /** A cluster that cannot be reached is told before anybody is shown an empty page. */
  async #version(ask: KubeAsk): Promise<string> {
    const headers: [string, string][] = [['accept', 'application/json']];
    const answer = await ask({ method: 'GET', target: '/version', headers }, this.#over.signal);
    try {
      return versionBody.safeParse(await readJson(answer, MAX_VERSION_BYTES)).data?.gitVersion ?? '';
    } catch (error) {
      // Some keep their version to themselves.
      if (error instanceof KubeFailure && error.status === 403) return '';
      throw error;
    }
  }

  #begin(use: KubeUse, ask: KubeAsk): BrowseTasks {
    const { access, events, now } = this.#deps;
    const { caller } = this.#opened;
    const requestId = this.#request.id;
    return new BrowseTasks(
      {
        ...{ ask, now },
        send: (text) => this.#send(text),
        knownNamespaces: async () => knownNamespaces(access.of(await caller.now()), use.cluster),
        onReveal: (secret) => tellReveal(events, use, secret),
        failureOf: (error) => {
          const { status, reason, message } = this.#failure(error, requestId);
          return { status, reason, message };
        },
      },
      this.#over.signal,
    );
  }

  /** What we refuse is told as what the cluster does; a mistake of ours keeps its words to itself. */
  #failure(given: unknown, requestId: string): KubeFailure {
    if (given instanceof KubeFailure) return given;
    const error = storeFailure(given) ?? given;
    const { code, reason, message } = statusOf(error, requestId);
    if (code === 500 && !this.#over.signal.aborted)
      this.#deps.log.error({ error, requestId }, 'a page of a Kubernetes cluster failed');
    return new KubeFailure(code, reason, message);
  }

  #end(use: KubeUse): void {
    if (this.#over.signal.aborted) return;
    const { cause, message } = use.hosted.end ?? { cause: 'closed' as const, message: 'it is over' };
    this.#over.abort();
    this.#tell({ type: 'ended', cause, message });
    this.#socket.close(1000, 'ended');
  }

  #closed(): void {
    this.#factor.abandon();
    this.#over.abort();
  }

  #tell(reply: BrowseReply): void {
    this.#send(JSON.stringify(reply));
  }

  #send(text: string): void {
    sendOrCut(this.#socket, text, MAX_UNSENT_BYTES);
  }
}
