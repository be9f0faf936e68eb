/** What the doors of applications ask of every visit, wherever the application is. */
import { APP_AUTH_PATH, APP_LAUNCH_PATH, APP_LOGOUT_PATH, APP_START_PATH } from '@gatehouse/contract/kinds/app/apps';
import type { Peer } from '@gatehouse/tunnel/contain';
import { abortResponse } from '../../reach/http/abort-response.ts';
import type { ClientResponse } from '../../reach/http/proxy-request.ts';
import type { AppPage } from './app-page.ts';
import type { Proof } from './app-sessions.ts';
import type { AppCookies } from './engine/read-request.ts';

/** What a browser shows to be let in. */
export interface PresentedProof {
  cookies: AppCookies;
  proof: Proof;
}

export const NOT_SIGNED_IN: AppPage = {
  status: 401,
  title: 'Not Signed In',
  message: 'open the application again: its session is over, or was opened elsewhere',
};

export function peerOf(response: ClientResponse): Peer {
  return { where: 'app host', cut: () => abortResponse(response) };
}

const OURS = [APP_AUTH_PATH, APP_LAUNCH_PATH, APP_LOGOUT_PATH, APP_START_PATH];

/** The gateway's own address on the host of an application. */
export function isOurs(url: string): boolean {
  // The first letters tell most apart.
  const second = url.charCodeAt(1);
  if (second !== 120 && second !== 116) return false;
  return OURS.some((path) => url === path || url.startsWith(`${path}?`));
}
