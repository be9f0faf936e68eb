/** The address of the login page, with where to return to and why the person is there. */
import { PAGES, redirectTarget } from '@gatehouse/contract/pages';

export const END_REASONS = ['expired', 'inactive'] as const;
export type EndReason = (typeof END_REASONS)[number];

export function loginAddress(from?: string, reason?: EndReason): string {
  const query = new URLSearchParams();
  if (from !== undefined) query.set('redirect_uri', from);
  if (reason) query.set('reason', reason);
  const text = query.toString();
  return text ? `${PAGES.login.path}?${text}` : PAGES.login.path;
}

/** Reads what `loginAddress` wrote; anybody can write an address, so only known routes and reasons come back. */
export function readLoginAddress(search: string): { target: string; reason: EndReason | undefined } {
  const query = new URLSearchParams(search);
  return {
    target: redirectTarget(query.get('redirect_uri')),
    reason: END_REASONS.find((reason) => reason === query.get('reason')),
  };
}
