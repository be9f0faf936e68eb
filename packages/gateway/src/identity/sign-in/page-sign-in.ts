/** Hands a page that is loaded with a valid session cookie its bearer, and takes a dead cookie away. */

import { ENDED_COOKIE, ENDED_OF_ANYBODY } from '@gatehouse/contract/console/page-tags';
import type { SignInReply } from '@gatehouse/contract/identity/sign-in';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readCookie, writeCookie } from '../../platform/http/cookies.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import { issueBearer } from '../stores/sign-in-secrets.ts';
import { type Authenticate, toActor } from './authenticate.ts';
import { signInReply } from './begin-sign-in.ts';
import { signOut } from './sign-out.ts';

interface PageSignInDeps extends Pick<IdentityDeps, 'db' | 'now' | 'settings' | 'audit' | 'cache'> {
  authenticate: Authenticate;
}

export async function pageSignIn(
  { authenticate, ...parts }: PageSignInDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SignInReply | undefined> {
  const cookie = readCookie(request, 'session');
  if (cookie === undefined) return undefined;
  // Away from the address it is tied to, somebody signs in anew; back there it goes on.
  const live = await authenticate.cookie(cookie, { address: request.ip ?? '', door: 'page' }).catch(elsewhere);
  if (live === 'elsewhere') return undefined;
  const mark = readCookie(request, ENDED_COOKIE);
  const isOver = live !== undefined && mark !== undefined && isMarkOf(mark, live.user.name);
  // Whoever left while nobody answered is not let in by coming back, nor is the next person at that browser.
  if (isOver) await signOut(parts, toActor(live), request.ip ?? '');
  if (!live || isOver) {
    writeCookie(request, reply, 'session', '');
    return undefined;
  }
  // Another site may make the browser load this page, for instance in the background: it cannot read what is in it.
  const { db, now, settings } = parts;
  const bearer = await db.transaction().execute((tx) => issueBearer(tx, live.signIn, now()));
  return signInReply(bearer, { user: live.user.name, now: now(), inactivityTimeoutMs: settings.inactivityTimeoutMs });
}

/** One of somebody else was left by a tab of theirs, and says nothing of who has signed in since. */
function isMarkOf(mark: string, user: string): boolean {
  return mark === ENDED_OF_ANYBODY || mark === encodeURIComponent(user);
}

function elsewhere(error: unknown): 'elsewhere' {
  if (error instanceof AppError) return 'elsewhere';
  throw error;
}
