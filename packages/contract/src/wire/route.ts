/** What a route is: method, path with typed parameters, query, body, reply, and the permission it needs. Declared once, here; handlers, client calls and the OpenAPI document are derived. */
import type { z } from 'zod';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * Who may call a route.
 * `public`: anybody. `signed-in`: a valid sign-in.
 */
export type Auth = 'public' | 'signed-in';

export const VERBS = ['list', 'read', 'edit', 'create', 'remove'] as const;
export type Verb = (typeof VERBS)[number];

export interface Route {
  method: Method;
  path: `/${string}`;
  /** One sentence for the OpenAPI document and the reader. */
  summary: string;
  auth: Auth;
  /** Whoever shows no credential at all may call it with this field in the body, and is counted as strictly as one who signs in. */
  nobodyWith?: string;
  /** The acl verb the caller must hold. A route without it is open to every signed-in user. A group that does not exist is refused by the compiler where routes become the API. */
  needs?: readonly [group: string, verb: Verb];
  /** What only the cluster that is asked can tell, as the refusal names it: to ask another one for it is a mistake, wherever that one is. */
  onlyOwnCluster?: string;
  /**
   * Counted per address and refused with 429 when called too often: strictly, or `often` for what a whole office does
   * through one address each morning. `failures`: only calls that fail are counted, apart from all others, for what a provider
   * sends for many. `unproven`: carries its own proof, and that is looked at first: only what has none is counted and refused, as
   * strangers may call from the address of whoever is to be heard.
   */
  limited?: true | 'often' | 'failures' | 'unproven';
  /** Of the body, in bytes, where it is far less than bodies may have. */
  maxBody?: number;
  /** HEAD is answered too, for those who only look whether somebody is there. Whatever a GET uses up, counts or writes down, a HEAD would as well: it is refused everywhere else. */
  headToo?: true;
  /** A browser whose bearer has run out may still make it: its cookie and the CSRF header are enough. Only for a call that takes away and gives nothing. */
  cookieAlone?: true;
  /** A browser opens it by itself, without a bearer: its cookie is enough, because the address holds a secret that was made for that very person, once and soon. */
  ticketed?: true;
  /** Demands the CSRF header even from a caller that carries no cookie: sign-in must not be driven from another site. `provider`: comes from another site by design, carries its own proof, and neither reads nor sets the session cookie. */
  csrf?: 'always' | 'provider';
  query?: z.ZodType;
  body?: z.ZodType;
  /** The body is not JSON but bytes of any number, read as they come; or the fields of a form, as browsers and providers send them. */
  bodyAs?: 'bytes' | 'form';
  /** `undefined` means 200 with an empty body, which the wire reference has for a few calls. */
  reply: z.ZodType | undefined;
  /** `text` travels as it is, for tools that write it into a file; `bytes` are sent as they are read, and may be endless; a `page` leads a browser on. */
  replyAs?: 'text' | 'xml' | 'bytes' | 'page';
}

export type ParamNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamNames<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

export type Params<R extends Route> = { [Name in ParamNames<R['path']>]: string };
export type Query<R extends Route> = R['query'] extends z.ZodType ? z.output<R['query']> : undefined;
export type Body<R extends Route> = R['body'] extends z.ZodType ? z.output<R['body']> : undefined;
/** What a handler returns. */
export type ReplySent<R extends Route> = R['reply'] extends z.ZodType ? z.input<R['reply']> : undefined;
/** What a client gets. */
export type ReplyRead<R extends Route> = R['reply'] extends z.ZodType ? z.output<R['reply']> : undefined;

export type Routes = Record<string, Route>;

export function defineRoutes<const R extends Routes>(routes: R): R {
  return routes;
}

/** Names of the parameters in a path, in order. */
export function paramNames(path: string): string[] {
  return [...path.matchAll(/:([A-Za-z]\w*)/g)].map((match) => match[1] as string);
}

/** The address of a route with its parameters filled in and encoded, so that a name with a slash stays one segment. */
export function pathFor(path: string, params: Record<string, string> = {}): string {
  return path.replaceAll(/:([A-Za-z]\w*)/g, (_, name: string) => {
    const value = params[name];
    // An empty segment would silently address the collection instead of the item.
    if (!value) throw new Error(`path parameter '${name}' of ${path} is missing`);
    return encodeURIComponent(value);
  });
}

/** A query string with only the given values, or nothing. */
export function queryString(query: Record<string, unknown> = {}): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
  if (pairs.length === 0) return '';
  return `?${pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`).join('&')}`;
}
