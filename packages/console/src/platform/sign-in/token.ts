/** The bearer token of this browser: printed into the page by the gateway, kept in local storage for all tabs. */

import { STORAGE_KEYS } from '@gatehouse/contract/console/local-storage';
import { BEARER_META } from '@gatehouse/contract/console/page-tags';
import type { SignInReply } from '@gatehouse/contract/identity/sign-in';
import { parseJson } from '@gatehouse/contract/std/parse-json';
import { saysEnded } from './login-address.ts';

export interface BearerToken {
  accessToken: string;
  /** Whose it is: another tab may sign somebody else in. */
  user?: string | undefined;
  /** Seconds from `created`. */
  expiresIn: number;
  /** When this browser got it, in milliseconds: clocks of the gateway and of the browser need not agree. */
  created: number;
  sessionExpires: string;
  /** Milliseconds; 0 means no inactivity timeout. */
  sessionInactiveTimeout: number;
}

type TokenStorage = Pick<Storage, 'getItem' | 'setItem'>;

export function tokenFrom(reply: SignInReply, now: number): BearerToken {
  return {
    accessToken: reply.token,
    ...(reply.user === undefined ? {} : { user: reply.user }),
    expiresIn: reply.expires_in,
    created: now,
    sessionExpires: reply.sessionExpires,
    sessionInactiveTimeout: reply.sessionInactiveTimeout,
  };
}

export function readToken(storage: TokenStorage): BearerToken | undefined {
  const stored = parseJson(storage.getItem(STORAGE_KEYS.token) ?? '');
  return isToken(stored) ? stored : undefined;
}

export function storeToken(storage: TokenStorage, token: BearerToken): void {
  storage.setItem(STORAGE_KEYS.token, JSON.stringify(token));
}

export function timeLeftMs(token: BearerToken | undefined, now: number): number {
  return token ? token.created + token.expiresIn * 1000 - now : 0;
}

/**
 * Takes the token out of the page: what stays in the document can be read by anything that reads the document. It is not
 * kept on a page that says the sign-in has ended: the gateway printed it while another tab was still ending that sign-in.
 */
export function takePageToken(page: Document, storage: TokenStorage, now: number): void {
  const meta = page.querySelector<HTMLMetaElement>(`meta[name="${BEARER_META}"]`);
  meta?.remove();
  const reply = parseJson(decodeBase64(meta?.content ?? ''));
  if (isReply(reply) && !saysEnded(page.location)) storeToken(storage, tokenFrom(reply, now));
}

// Checked by hand: the schemas of the contract would bring zod into the login page.
function isReply(value: unknown): value is SignInReply {
  return (
    isObject(value) &&
    typeof value.token === 'string' &&
    typeof value.expires_in === 'number' &&
    typeof value.sessionExpires === 'string' &&
    typeof value.sessionInactiveTimeout === 'number'
  );
}

function isToken(value: unknown): value is BearerToken {
  return (
    isObject(value) &&
    typeof value.accessToken === 'string' &&
    typeof value.expiresIn === 'number' &&
    typeof value.created === 'number' &&
    typeof value.sessionInactiveTimeout === 'number'
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function decodeBase64(text: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)));
  } catch {
    return '';
  }
}
