/** What the door and the engine need of a request's headers, found in one pass over them as they came. */

import { APP_COOKIE, APP_SUBJECT_COOKIE } from '@gatehouse/contract/kinds/app/apps';
import { hostName } from '../../../platform/std/host-name.ts';

export interface RequestFacts {
  /** Lower case, without a port; undefined when it is missing or given twice. */
  host: string | undefined;
  cookie: string;
  userAgent: string;
  /** Undefined without a body of known length. */
  contentLength: string | undefined;
  chunked: boolean;
  /** The body is announced in two ways. */
  ambiguous: boolean;
  /** Names in lower case that its Connection header takes off. */
  connection: string;
  isPage: boolean;
  forwardedFor: string;
  origin: string | undefined;
}

/** `raw` has names and values in turn, as Node gives them for HTTP/1.1 and HTTP/2. */
export function readRequest(raw: readonly string[]): RequestFacts {
  const facts: RequestFacts = {
    host: undefined,
    cookie: '',
    userAgent: '',
    contentLength: undefined,
    chunked: false,
    ambiguous: false,
    connection: '',
    isPage: false,
    forwardedFor: '',
    origin: undefined,
  };
  let hosts = 0;
  let accept = '';
  let mode = '';
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]!;
    // The length tells most of them apart before anything is compared.
    switch (name.length) {
      case 4:
        if (isNamed(name, 'host')) {
          hosts += 1;
          facts.host = hostName(raw[at + 1]!);
        }
        break;
      case 6:
        if (isNamed(name, 'cookie')) facts.cookie = facts.cookie ? `${facts.cookie}; ${raw[at + 1]}` : raw[at + 1]!;
        else if (isNamed(name, 'accept')) accept = raw[at + 1]!;
        else if (isNamed(name, 'origin')) facts.origin = raw[at + 1]!;
        break;
      case 10:
        if (name === ':authority') {
          hosts += 1;
          facts.host = hostName(raw[at + 1]!);
        } else if (isNamed(name, 'user-agent')) facts.userAgent = raw[at + 1]!;
        else if (isNamed(name, 'connection')) facts.connection = `${facts.connection},${raw[at + 1]!.toLowerCase()}`;
        break;
      case 14:
        if (isNamed(name, 'content-length')) {
          if (facts.contentLength !== undefined) facts.ambiguous = true;
          facts.contentLength = raw[at + 1]!;
        } else if (isNamed(name, 'sec-fetch-mode')) mode = raw[at + 1]!;
        break;
      case 15:
        if (isNamed(name, 'x-forwarded-for'))
          facts.forwardedFor = facts.forwardedFor ? `${facts.forwardedFor}, ${raw[at + 1]}` : raw[at + 1]!;
        break;
      case 17:
        if (isNamed(name, 'transfer-encoding')) {
          if (facts.chunked || raw[at + 1]!.toLowerCase() !== 'chunked') facts.ambiguous = true;
          facts.chunked = true;
        }
        break;
      default:
    }
  }
  if (hosts !== 1) facts.host = undefined;
  if (facts.chunked && facts.contentLength !== undefined) facts.ambiguous = true;
  facts.isPage = mode === 'navigate' || (mode === '' && accept.includes('text/html'));
  return facts;
}

function isNamed(name: string, wanted: string): boolean {
  return name === wanted || name.toLowerCase() === wanted;
}

export interface AppCookies {
  session: string;
  subject: string;
  /** Ours, taken off. */
  rest: string;
}

const OURS = new Set([APP_COOKIE, APP_SUBJECT_COOKIE].flatMap((name) => [name, `__Host-${name}`]));
export const STATE_COOKIE = 'gatehouse_launch';
OURS.add(STATE_COOKIE).add(`__Host-${STATE_COOKIE}`);

export function isOurCookie(name: string): boolean {
  return OURS.has(name);
}

/** Two of one name mean that somebody planted one: neither is believed. */
export function readAppCookies(cookie: string, prefix: '' | '__Host-'): AppCookies {
  const found: AppCookies = { session: '', subject: '', rest: '' };
  if (cookie === '') return found;
  let [sessions, subjects] = [0, 0];
  for (const part of cookie.split(';')) {
    const pair = part.trim();
    const cut = pair.indexOf('=');
    const name = cut < 0 ? '' : pair.slice(0, cut).trim();
    if (!OURS.has(name)) {
      if (pair !== '') found.rest = found.rest === '' ? pair : `${found.rest}; ${pair}`;
    } else if (name === `${prefix}${APP_COOKIE}`) {
      sessions += 1;
      found.session = pair.slice(cut + 1);
    } else if (name === `${prefix}${APP_SUBJECT_COOKIE}`) {
      subjects += 1;
      found.subject = pair.slice(cut + 1);
    }
  }
  if (sessions > 1) found.session = '';
  if (subjects > 1) found.subject = '';
  return found;
}

export function readOneCookie(cookie: string, name: string): string {
  const values = cookie
    .split(';')
    .map((part) => part.trim())
    .filter((pair) => pair.startsWith(`${name}=`));
  return values.length === 1 ? values[0]!.slice(name.length + 1) : '';
}
