/** Hands a page that is loaded with a valid session cookie its bearer, and takes a dead cookie away. */
import type { SignInReply } from '@gatehouse/contract/auth/sign-in';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readCookie, writeCookie } from '../../http/cookies.ts';
import type { IdentityParts } from '../identity-parts.ts';
import type { Authenticate } from './authenticate.ts';
import { signInReply } from './begin-sign-in.ts';
import { issueBearer } from './sign-in-secrets.ts';

interface PageSignInDeps extends Pick<IdentityParts, 'db' | 'now' | 'settings'> {
  authenticate: Authenticate;
}

export async function pageSignIn(
  { db, now, settings, authenticate }: PageSignInDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SignInReply | undefined> {
  const cookie = readCookie(request, 'session');
  if (cookie === undefined) return undefined;
  const live = await authenticate.cookie(cookie);
  if (!live) {
    writeCookie(request, reply, 'session', '');
    return undefined;
  }
  // Another site may make the browser load this page, for instance in the background: it cannot read what is in it.
  const bearer = await db.transaction().execute((tx) => issueBearer(tx, live.signIn, now()));
  return signInReply(bearer, { now: now(), inactivityTimeoutMs: settings.inactivityTimeoutMs });
}
