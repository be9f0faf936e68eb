/** Refuses what a browser loads for a page instead of opening it: what another site embeds must neither use up what its visitor began nor count against them. */
import type { Route } from '@gatehouse/contract/wire/route';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../std/app-error.ts';

/** Clients that are no browsers send none of these headers, or only a mode of `cors`: they are told by what they say, never by what they leave out. */
export function refuseEmbedded(
  { headers }: FastifyRequest,
  { limited, replyAs }: Pick<Route, 'limited' | 'replyAs'>,
): void {
  if (replyAs === 'page') {
    if (isAhead(headers)) throw new AppError('denied', 'this page is not loaded ahead: open it');
    if (!isOpened(headers)) throw new AppError('csrf_failed', 'this page is opened, and never embedded in another');
  }
  if (limited && isForeign(headers) && !isOpened(headers))
    throw new AppError('csrf_failed', 'the request came from a page of another site');
}

type Headers = FastifyRequest['headers'];

/** A window or tab goes there. A frame does not count: whoever looks at the page around it has opened something else. */
function isOpened(headers: Headers): boolean {
  const [mode, dest] = [headers['sec-fetch-mode'], headers['sec-fetch-dest']];
  if (mode === 'no-cors') return false;
  return dest === undefined || dest === 'document' || (dest === 'empty' && mode === 'navigate');
}

function isForeign(headers: Headers): boolean {
  const site = headers['sec-fetch-site'];
  return site === 'cross-site' || site === 'same-site';
}

/** Before anybody has asked for it. */
function isAhead(headers: Headers): boolean {
  return ['sec-purpose', 'purpose', 'x-moz'].some((name) =>
    /\b(prefetch|prerender|preview)\b/i.test(String(headers[name] ?? '')),
  );
}
