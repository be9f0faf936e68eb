/** What a handler is given for one call, and the table of handlers a feature must supply. */

import type { Readable } from 'node:stream';
import type { ENDED_COOKIE } from '@gatehouse/contract/console/page-tags';
import type { Body, ParamNames, Query, ReplySent, Route, Routes } from '@gatehouse/contract/wire/route';
import type { Actor, Caller } from './actor.ts';
import type { ByteReply } from './byte-reply.ts';
import type { PageReply } from './page-reply.ts';

/** The parts of the HTTP exchange a handler may touch. */
export interface Exchange {
  requestId: string;
  /** The caller's address; forwarded headers count only from trusted proxies. */
  address: string;
  userAgent: string;
  /** Scheme, host and port the caller used. */
  origin: string;
  cookie(name: CookieName): string | undefined;
  setCookie(name: CookieName, value: string): void;
  clearCookie(name: CookieName): void;
  header(name: string): string | undefined;
  /** For handlers that wait: aborted once nobody is there any more who would hear the answer. */
  gone(): AbortSignal;
  /** The answer is the same for everybody, and may be kept for so many seconds. */
  mayBeKept(seconds: number): void;
}

/** `grv_ended` is written by the console: a sign-out that the gateway has not heard of yet. `gh_sso` says which browser began a sign-in through a provider. */
export type CookieName = 'session' | 'grv_csrf' | 'gh_sso' | typeof ENDED_COOKIE;

export interface Call<R extends Route> {
  actor: R['auth'] extends 'signed-in' ? (R['nobodyWith'] extends string ? Actor | undefined : Actor) : undefined;
  /** For handlers that wait for something, or give what takes long to fetch: the actor is stale after that. */
  caller: R['auth'] extends 'signed-in' ? (R['nobodyWith'] extends string ? Caller | undefined : Caller) : undefined;
  /** The cluster the call is for, by its name, however `:clusterId` spelled it. Unknown clusters do not come this far. */
  cluster: R['path'] extends `${string}/:clusterId${'' | `/${string}`}` ? string : undefined;
  params: { [Name in Exclude<ParamNames<R['path']>, 'clusterId'>]: string };
  query: Query<R>;
  body: R['bodyAs'] extends 'bytes' ? Readable : Body<R>;
  exchange: Exchange;
}

export type Handler<R extends Route> = (
  call: Call<R>,
) => Promise<R['replyAs'] extends 'bytes' ? ByteReply : R['replyAs'] extends 'page' ? PageReply : ReplySent<R>>;

/** A forgotten or an extra handler does not compile. */
export type Handlers<R extends Routes> = { [Name in keyof R]: Handler<R[Name]> };
