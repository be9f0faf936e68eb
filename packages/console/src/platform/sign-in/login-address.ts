/** The address of the login page, with where to return to and why the person is there. */

import { PAGES, redirectTarget } from '@gatehouse/contract/console/pages';
import type { EndReason } from '@gatehouse/contract/identity/sign-ins';

/** Listed here once more, because the contract's own list would bring its schemas into the login page. */
const END_REASONS: Record<EndReason, true> = {
  signed_out: true,
  ended_by_user: true,
  ended_by_administrator: true,
  inactive: true,
  expired: true,
  credentials_reset: true,
  user_deleted: true,
  ended_by_provider: true,
  other_address: true,
  root_lost: true,
};

export function asEndReason(text: string | null): EndReason | undefined {
  return text !== null && Object.hasOwn(END_REASONS, text) ? (text as EndReason) : undefined;
}

export function loginAddress(from?: string, reason?: EndReason): string {
  const query = new URLSearchParams();
  if (from !== undefined) query.set('redirect_uri', from);
  if (reason) query.set('reason', reason);
  const text = query.toString();
  return text ? `${PAGES.login.path}?${text}` : PAGES.login.path;
}

/** Reads what `loginAddress` wrote; anybody can write an address, so only known routes and reasons come back. */
export function readLoginAddress(search: string): {
  target: string;
  reason: EndReason | undefined;
  /** From a provider: what is left is a second factor. */
  providerCode: string | undefined;
} {
  const query = new URLSearchParams(search);
  return {
    target: redirectTarget(query.get('redirect_uri')),
    reason: asEndReason(query.get('reason')),
    providerCode: query.get('sso') || undefined,
  };
}

/** True for the login page of somebody whose sign-in has just ended. */
export function saysEnded({ pathname, search }: Pick<Location, 'pathname' | 'search'>): boolean {
  return pathname === PAGES.login.path && readLoginAddress(search).reason !== undefined;
}
