/** Which cluster a call or a socket is for. Asked where calls are bound and sockets opened: handlers are given the answer. */
import { CURRENT_CLUSTER } from '@gatehouse/contract/console/clusters';
import { pathFor } from '@gatehouse/contract/wire/route';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { notFound } from '../std/app-error.ts';
import type { Actor, Who } from './actor.ts';

/** A call for another cluster, once it is known who makes it and before anything of its body is read. */
export interface ForwardedCall {
  request: FastifyRequest;
  reply: FastifyReply;
  /** Address and query as that cluster is to hear them. */
  url: string;
}

/** A websocket for another cluster, taken here; nothing of it is heard before the other end has taken it too. */
export interface ForwardedSocket {
  socket: WebSocket;
  /** That cluster says that the person did something there: counts against being signed out for inactivity. */
  active(): void;
  request: FastifyRequest;
  url: string;
}

/** A cluster that trusts this one to say who calls. */
export interface Leaf {
  /** Throws an `AppError` while nothing is answered; returns once the answer is under way. */
  forward(call: ForwardedCall, actor: Actor): Promise<void>;
  /** Throws an `AppError` where that cluster does not take it; returns once what either side says reaches the other. */
  forwardSocket(opened: ForwardedSocket, actor: Actor): Promise<void>;
  /** For what came in by a door that is none of HTTP. Throws an `AppError` where that cluster does not take it; nothing of it is read yet. */
  openSocket(wanted: WantedSocket, actor: Actor): Promise<WebSocket>;
  /** A word that stands where it asks for a code: they have given a second factor here, at this moment, for what is opened there. */
  vouch(who: Who): string;
}

export interface WantedSocket {
  /** As that cluster is to hear it. */
  url: string;
  requestId: string;
  userAgent: string;
  /** What a second factor was traded for there. */
  pass?: string | undefined;
}

export type FoundCluster = { is: 'own'; name: string } | { is: 'leaf'; name: string; leaf: Leaf };

export interface Clusters {
  /** The name of the cluster this gateway serves. */
  readonly own: string;
  /** Without any, what is not the own cluster is unknown before anybody has said who they are. */
  hasLeaves(): boolean;
  /** A leaf that the actor does not see is as unknown as one that is not there; nobody sees any. */
  find(clusterId: string, actor: Actor | undefined): Promise<FoundCluster | undefined>;
}

/** The name of the own cluster, where that is meant. */
export function findOwn(clusterId: string, own: string): string | undefined {
  return clusterId === CURRENT_CLUSTER || clusterId === own ? own : undefined;
}

export function requireOwn(clusterId: string, own: string): string {
  const found = findOwn(clusterId, own);
  if (found === undefined) throw notFound('cluster', clusterId);
  return found;
}

/** Of a gateway that knows no other. */
export function onlyCluster(own: string): Clusters {
  return {
    own,
    hasLeaves: () => false,
    async find(clusterId) {
      const name = findOwn(clusterId, own);
      return name === undefined ? undefined : { is: 'own', name };
    },
  };
}

/** Where tokens stand in the addresses of sockets of the wire reference: they are ours, and no other cluster's to see. */
const SECRET_FIELD = /^access_token(?:=|$)/i;

/** The address of a call as the cluster that is named hears it: its own. */
export function forwardedUrl(path: string, params: Readonly<Record<string, string>>, url: string): string {
  const [, query = ''] = url.split('#', 1)[0]!.split(/\?(.*)/s, 2);
  const kept = query.split('&').filter((field) => field !== '' && !SECRET_FIELD.test(decoded(field)));
  return `${pathFor(path, { ...params, clusterId: CURRENT_CLUSTER })}${kept.length === 0 ? '' : `?${kept.join('&')}`}`;
}

function decoded(field: string): string {
  try {
    return decodeURIComponent(field.replaceAll('+', ' '));
  } catch {
    return field;
  }
}
