/** Which headers travel between clusters: those on a list, and no others. */
import type { IncomingHttpHeaders } from 'node:http';
import { RELAYED_ANSWER_HEADER } from '@gatehouse/contract/console/page-tags';
import { RELAYED_HEADERS } from '../../platform/http/relayed-door.ts';
import { isFieldValue, type ResponseHead } from '../http/response-head.ts';
import { UpstreamFault } from '../http/upstream-fault.ts';

/** Says how the body travels: written by whoever writes it. */
const FRAMING: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding']);

/** What of a request another cluster hears. Never who asked by which cookie or bearer. */
export function relayedHeaders(headers: IncomingHttpHeaders, requestId: string): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const name of RELAYED_HEADERS) {
    const value = headers[name];
    if (typeof value === 'string' && !FRAMING.has(name) && isFieldValue(value)) passed[name] = value;
  }
  return { ...passed, 'x-request-id': requestId };
}

/** Of an answer. Where a browser is led, what it stores and what it trusts is for its own gateway to say. */
const ANSWERED: ReadonlySet<string> = new Set([
  'accept-ranges',
  'allow',
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-length',
  'content-range',
  'content-type',
  'etag',
  'expires',
  'last-modified',
  'pragma',
  'retry-after',
  'vary',
]);

/** Whatever another cluster sends, no browser takes it for a page or a script of this gateway. */
const HARMLESS = {
  'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  [RELAYED_ANSWER_HEADER]: 'yes',
} as const;

/** Of those that are read differently when there are two. */
const ONCE: ReadonlySet<string> = new Set(['content-disposition', 'content-encoding', 'content-range', 'content-type']);

/** Names in lower case and values, in turn. `own`: what this gateway says with every answer. */
export function answeredHeaders(
  headers: readonly string[],
  own: Readonly<Record<string, number | string | string[] | undefined>>,
): string[] {
  const said = new Map<string, string>();
  for (let at = 0; at < headers.length; at += 2) {
    const [name, value] = [headers[at]!, headers[at + 1]!];
    if (ANSWERED.has(name)) said.set(name, value);
  }
  const passed: string[] = [];
  for (const [name, value] of Object.entries({ ...own, ...HARMLESS }))
    if (value !== undefined && !said.has(name)) passed.push(name, String(value));
  for (const [name, value] of said) passed.push(name, value);
  return passed;
}

const REDIRECTS = 300;
const ERRORS = 400;
const NOT_MODIFIED = 304;

/** Refuses what leads a browser on, or could be read in two ways. */
export function checkAnswer({ status, headers }: Pick<ResponseHead, 'status' | 'headers'>): void {
  if (status >= REDIRECTS && status < ERRORS && status !== NOT_MODIFIED)
    throw new UpstreamFault(`it answers ${status}, which leads elsewhere`);
  const seen = new Set<string>();
  for (let at = 0; at < headers.length; at += 2) {
    const [name, value] = [headers[at]!, headers[at + 1]!];
    if (ONCE.has(name) && seen.has(name)) throw new UpstreamFault(`its answer has the header '${name}' twice`);
    if (name === 'content-encoding' && value !== 'gzip')
      throw new UpstreamFault('its answer is packed in a way nobody asked for');
    seen.add(name);
  }
}
