/** Leads programs on to Kubernetes clusters of another cluster: who they are is known here, what they may is said there. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { CURRENT_CLUSTER } from '@gatehouse/contract/console/clusters';
import { KUBE_DOOR, KUBE_DOOR_SOCKET, kubeDoorName } from '@gatehouse/contract/kinds/kube/kube-pass';
import { VERSION } from '@gatehouse/contract/std/version';
import { pathFor } from '@gatehouse/contract/wire/route';
import type { Identity } from '../../../identity/identity.ts';
import type { Clusters } from '../../../platform/http/cluster.ts';
import { NodeAnswer } from '../../../reach/http/client-answer.ts';
import { bodyOf, proxyRequest, type RequestBody } from '../../../reach/http/proxy-request.ts';
import { createUpstreamPool, type UpstreamPool } from '../../../reach/http/upstream-pool.ts';
import { openLeafStream } from '../../../sessions/tcp/leaf-stream.ts';
import { guardedHeaders } from '../answer-headers.ts';
import { readKubeRequest } from '../engine/kube-request.ts';
import { type HeaderPair, passedHeaders, readAskedIdentity } from '../engine/request-headers.ts';
import type { KubePass } from '../kube-pass-store.ts';
import { carryUpgrade } from './carry-upgrade.ts';

export interface KubeElsewhereDeps {
  clusters: Pick<Clusters, 'find'>;
  identity: Pick<Identity, 'callerOf' | 'onSignInEnd'>;
}

export interface ElsewhereVisit {
  pass: KubePass;
  /** What that cluster has given. */
  there: string;
  cluster: string;
  name: string;
  /** Behind the name. */
  target: string;
  address: string;
  requestId: string;
  /** Nothing was answered yet: whoever asked is told here. */
  refuse(error: unknown): void;
}

export interface KubeElsewhere {
  request(visit: ElsewhereVisit, raw: IncomingMessage, response: ServerResponse): void;
  upgrade(visit: ElsewhereVisit, client: { raw: IncomingMessage; socket: Duplex; rest: Buffer }): void;
  close(): void;
}

/** What goes through one pass. */
interface PassUse {
  pool: UpstreamPool;
  cuts: Set<() => void>;
  used: number;
  close(): void;
}

const REST_MS = 60_000;
const SWEEP_MS = 15_000;
/** Of what changes the protocol, beside the usual ones. */
const UPGRADING = /^(?:sec-websocket-(?:extensions|key|protocol|version)|x-stream-protocol-version)$/;

export function createKubeElsewhere({ clusters, identity }: KubeElsewhereDeps): KubeElsewhere {
  const ways = new Map<string, PassUse>();

  function wayOf({ pass, cluster, name, address }: ElsewhereVisit): PassUse {
    const key = JSON.stringify([pass.hash, address]);
    const known = ways.get(key);
    if (known) {
      known.used = performance.now();
      return known;
    }
    const { username, signInId } = pass;
    const caller = identity.callerOf({ username, signInId, address });
    const url = pathFor(KUBE_DOOR_SOCKET, { clusterId: CURRENT_CLUSTER, name });
    const pool = createUpstreamPool(async () => {
      const wish = { cluster, url, userAgent: `gatehouse/${VERSION}` };
      return (await openLeafStream(clusters, await caller.now(), wish)).stream;
    });
    const made: PassUse = {
      ...{ pool, cuts: new Set<() => void>(), used: performance.now() },
      close() {
        if (ways.get(key) === made) ways.delete(key);
        forget();
        for (const cut of [...made.cuts]) cut();
        pool.close();
      },
    };
    const forget = identity.onSignInEnd(signInId, () => made.close());
    ways.set(key, made);
    return made;
  }

  const sweeper = setInterval(() => {
    for (const way of [...ways.values()])
      if (way.cuts.size === 0 && performance.now() - way.used > REST_MS) way.close();
  }, SWEEP_MS).unref();

  /** Cut with the way, until it is over by itself. */
  function hold(way: PassUse, begin: (onDone: () => void) => () => void): void {
    let isOver = false;
    let cut = () => {};
    cut = begin(() => {
      isOver = true;
      way.cuts.delete(cut);
      way.used = performance.now();
    });
    if (!isOver) way.cuts.add(cut);
  }

  return {
    request(visit, raw, response) {
      const { method = 'GET' } = raw;
      const body = bodyOf(raw, {
        chunked: raw.headers['transfer-encoding'] !== undefined,
        contentLength: raw.headers['content-length'],
      });
      const head = writeHead(visit, raw, body, []);
      const way = wayOf(visit);
      hold(way, (onDone) =>
        proxyRequest({
          ...{ method, head, body, source: raw, answer: new NodeAnswer(response), pool: way.pool },
          ...{ door: 'kubernetes', onDone, onUnreachable: visit.refuse },
          passHeaders: (headers) => passHeaders(headers, visit),
        }),
      );
    },
    upgrade(visit, { raw, socket, rest }) {
      const further: HeaderPair[] = [
        ['connection', 'Upgrade'],
        ['upgrade', raw.headers.upgrade ?? ''],
      ];
      for (const [name, value] of Object.entries(raw.headersDistinct))
        if (UPGRADING.test(name)) for (const each of value ?? []) further.push([name, each]);
      const head = writeHead(visit, raw, 'none', further);
      const way = wayOf(visit);
      hold(way, (onDone) =>
        carryUpgrade({
          ...{ method: raw.method ?? 'GET', head, socket, rest, onDone, onUnreachable: visit.refuse },
          open: () => way.pool.open('upgrade'),
          passHeaders: (headers) => passHeaders(headers, visit),
        }),
      );
    },
    close() {
      clearInterval(sweeper);
      for (const way of [...ways.values()]) way.close();
    },
  };
}

/** Throws for what could be read in two ways: it is read here as it is there. */
function writeHead(
  { name, target, there }: ElsewhereVisit,
  raw: IncomingMessage,
  body: RequestBody,
  further: readonly HeaderPair[],
): string {
  const request = readKubeRequest(raw.method ?? '', target);
  const { user, groups } = readAskedIdentity(raw.rawHeaders);
  const lines: HeaderPair[] = [
    ['host', 'kubernetes'],
    ['authorization', `Bearer ${there}`],
    ...passedHeaders(raw.rawHeaders),
    ...(user === undefined ? [] : [['impersonate-user', user] as const]),
    ...groups.map((group) => ['impersonate-group', group] as const),
    ...further,
    ...framing(raw, body),
  ];
  const text = lines.map(([key, value]) => `${key}: ${value}\r\n`).join('');
  return `${request.method} ${KUBE_DOOR}${name}${request.target} HTTP/1.1\r\n${text}\r\n`;
}

function framing({ headers }: IncomingMessage, body: RequestBody): HeaderPair[] {
  if (body === 'none') return [];
  return body === 'chunked'
    ? [['transfer-encoding', 'chunked']]
    : [['content-length', headers['content-length'] ?? '0']];
}

/** Clients are sent on within the cluster they asked for, or nowhere: another one is no more believed than a Kubernetes cluster. */
function passHeaders(headers: readonly string[], { name, cluster, requestId }: ElsewhereVisit): string[] {
  const start = `${KUBE_DOOR}${name}/`;
  const through = (location: string) =>
    location.startsWith(start)
      ? `${KUBE_DOOR}${kubeDoorName(name, cluster)}/${location.slice(start.length)}`
      : undefined;
  return guardedHeaders(headers, through, requestId);
}
