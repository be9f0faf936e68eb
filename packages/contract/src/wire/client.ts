/** Calls a route: builds the request, reads the reply or the error. The console, the command line and the tests share it. */
import type { z } from 'zod';
import { parseJson } from '../std/parse-json.ts';
import { type ErrorCode, errorBody, isErrorCode } from './errors.ts';
import { type Params, pathFor, queryString, type ReplyRead, type Route } from './route.ts';

export interface Sent {
  method: string;
  /** Path and query, without origin. */
  url: string;
  body?: string;
}

export interface Received {
  status: number;
  /** The whole body as text. */
  text: string;
}

/** How a request travels: fetch with a token in the console, a local socket in the command line, inject in tests. */
export type Send = (request: Sent) => Promise<Received>;

/** A reply that may be large, as it comes. */
export interface Opened {
  status: number;
  bytes: AsyncIterable<Uint8Array>;
}

/** How a route that gives bytes is called. */
export type Open = (url: string) => Promise<Opened>;

type Given<R extends Route> = (keyof Params<R> extends never ? { params?: undefined } : { params: Params<R> }) &
  (R['query'] extends z.ZodType ? { query?: z.input<R['query']> } : { query?: undefined }) &
  (R['body'] extends z.ZodType ? { body: z.input<R['body']> } : { body?: undefined });

/** A failed call. `code` is `internal` when the answer was not in our error shape. */
export class CallError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly requestId: string | undefined;
  /** Facts the gateway gave beside the sentence. */
  readonly fields: Readonly<Record<string, unknown>>;
  constructor(
    message: string,
    code: ErrorCode,
    status: number,
    more: { requestId?: string; fields?: Record<string, unknown> } = {},
  ) {
    super(message);
    this.name = 'CallError';
    this.code = code;
    this.status = status;
    this.requestId = more.requestId;
    this.fields = more.fields ?? {};
  }
}

export async function call<R extends Route>(send: Send, route: R, given: Given<R>): Promise<ReplyRead<R>> {
  const params = given.params as Record<string, string> | undefined;
  const query = given.query as Record<string, unknown> | undefined;
  const url = pathFor(route.path, params) + queryString(query);
  const received = await send({
    method: route.method,
    url,
    ...(given.body === undefined ? {} : { body: JSON.stringify(given.body) }),
  });
  if (received.status < 200 || received.status > 299) throw readError(received, url);
  if (route.reply === undefined) return undefined as ReplyRead<R>;
  const reply = route.replyAs === 'text' ? received.text : parseJson(received.text);
  return route.reply.parse(reply) as ReplyRead<R>;
}

/** The specification's order: the error's message, a message field, the response text; otherwise status plus address. */
export function readError({ status, text }: Received, url: string): CallError {
  const body = parseJson(text);
  const parsed = errorBody.safeParse(body);
  if (parsed.success) {
    const { message, code, requestId } = parsed.data.error;
    const { fields } = parsed.data;
    return new CallError(message || `${status} - ${url}`, isErrorCode(code) ? code : 'internal', status, {
      requestId,
      fields,
    });
  }
  const code = status === 403 ? 'denied' : status === 404 ? 'not_found' : 'internal';
  return new CallError(messageIn(body) ?? plainText(text) ?? `${status} - ${url}`, code, status);
}

const MAX_TEXT_LENGTH = 300;

/** What somebody may read: not the page that a proxy in between gives out, nor a whole file. */
function plainText(text: string): string | undefined {
  const plain = text.trim();
  if (plain === '' || plain.startsWith('<')) return undefined;
  return plain.length > MAX_TEXT_LENGTH ? `${plain.slice(0, MAX_TEXT_LENGTH)}…` : plain;
}

function messageIn(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { error, message } = body as { error?: { message?: unknown }; message?: unknown };
  if (typeof error?.message === 'string' && error.message) return error.message;
  if (typeof message === 'string' && message) return message;
  return undefined;
}
