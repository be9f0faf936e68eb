/** What is wrong with a request to an application before anybody asks whose it is. */
import type { ClientRequest } from '../../reach/http/proxy-request.ts';
import { isToken } from '../../reach/http/response-head.ts';
import type { AppPage } from './app-page.ts';
import type { RequestFacts } from './engine/read-request.ts';

const REFUSED_METHODS: ReadonlySet<string> = new Set(['TRACE', 'TRACK', 'CONNECT']);
/** Visible ASCII: what else stands in an address is read differently by different programs. */
const PLAIN_URL = /^\/[!-~]*$/;

export function brokenRequest(request: ClientRequest, facts: RequestFacts): AppPage | undefined {
  if (request.httpVersionMajor < 1) return badRequest('it is of a version without headers');
  if (facts.host === undefined) return badRequest('it names its host twice or not at all');
  if (facts.ambiguous) return badRequest('it gives the length of its body in two ways');
  if (!PLAIN_URL.test(request.url ?? '')) return badRequest('its address is not a plain path');
  if (!isToken(request.method ?? '')) return badRequest('its method is none');
  if (REFUSED_METHODS.has(request.method ?? ''))
    return { status: 405, title: 'Not Allowed', message: `${request.method} is not passed on to applications` };
  return undefined;
}

export function badRequest(why: string): AppPage {
  return { status: 400, title: 'Bad Request', message: `the request is not passed on: ${why}` };
}
