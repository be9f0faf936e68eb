/** Answers the calls with which a command line is signed in through the browser. */

import { cliLoginAccepted, cliLoginDenied } from '@gatehouse/contract/audit/sign-in-events';
import { pagePath } from '@gatehouse/contract/console/pages';
import { CLI_LOGIN_STATES, type cliLoginRoutes } from '@gatehouse/contract/identity/cli-login';
import { OK } from '@gatehouse/contract/wire/ack';
import { z } from 'zod';
import { hashToken, newToken, sameText } from '../../platform/crypto/tokens.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Handlers } from '../../platform/http/call.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { clientKey } from '../../platform/std/client-key.ts';
import { requirePerson } from '../account/own-account.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import type { AddressGuard } from '../sign-in/address-guard.ts';
import { requireStillSignedIn } from '../sign-in/still-signed-in.ts';
import { isPinned } from '../sign-in/tied-address.ts';
import { hasDevices, requireFreshProof } from '../step-up/recent-proof.ts';
import { issueCredential } from '../stores/sign-in-secrets.ts';
import { endByProvider, findSignIn, insertSignIn, SIGN_IN_MS } from '../stores/sign-in-store.ts';
import { requireUserToken, spendUserToken, type UserToken } from '../stores/user-token-store.ts';
import { acceptApproval, kubeIn, shownApproval } from './approvals.ts';
import {
  type CliLogin,
  findCliLogin,
  insertCliLogin,
  newCode,
  REQUEST_MS,
  settleCliLogin,
  takeCliLogin,
} from './cli-login-store.ts';

const POLL_SECONDS = 2;

const state = z.enum(CLI_LOGIN_STATES);

interface CliLoginDeps extends IdentityDeps {
  guard: AddressGuard;
}

export function cliLoginHandlers(parts: CliLoginDeps): Handlers<typeof cliLoginRoutes> {
  const { db, now, audit, settings, guard } = parts;
  return {
    async begin({ body, exchange }) {
      const requestId = newToken(16);
      const secret = newToken();
      const code = newCode();
      const expires = now() + REQUEST_MS;
      await insertCliLogin(db, {
        id: requestId,
        secret_hash: hashToken(secret),
        code,
        client: body.client,
        address: exchange.address,
        created: now(),
        expires,
        state: 'pending',
        sign_in: null,
        ssh: null,
      });
      const url = `${settings.publicOrigin()}${pagePath('cliLogin', { requestId })}`;
      return { requestId, secret, code, url, expires: new Date(expires).toISOString(), pollSeconds: POLL_SECONDS };
    },

    async poll({ params: { requestId }, body, exchange }) {
      const request = await findCliLogin(db, requestId, now());
      if (!request || request.ssh !== null || !sameText(request.secret_hash, hashToken(body.secret)))
        throw unknownRequest();
      if (request.state !== 'accepted') return { state: state.parse(request.state) };
      await guard.requireById(request.sign_in ?? '', { address: exchange.address, door: 'command line' });
      return db.transaction().execute(async (tx) => {
        // The credential is made when it is fetched and fetched once: it lies nowhere meanwhile.
        if (!(await takeCliLogin(tx, requestId))) throw unknownRequest();
        const signIn = await findSignIn(tx, request.sign_in ?? '');
        if (!signIn || signIn.ended) throw unknownRequest();
        const token = await issueCredential(tx, signIn);
        return {
          state: 'accepted' as const,
          user: signIn.user,
          token,
          expires: new Date(signIn.expires).toISOString(),
        };
      });
    },

    async details({ actor, params: { requestId }, exchange }) {
      requirePerson(actor);
      const request = await findCliLogin(db, requestId, now());
      if (!request || isOfAnother(request, actor)) throw unknownRequest();
      return {
        requestId,
        state: state.parse(request.state),
        code: request.code,
        client: request.client,
        address: request.address,
        elsewhere: clientKey(request.address) !== clientKey(exchange.address),
        ...shownApproval(request),
        created: new Date(request.created).toISOString(),
        expires: new Date(request.expires).toISOString(),
      };
    },

    async answer({ actor, params: { requestId }, body, exchange }) {
      requirePerson(actor);
      // A command line that could accept others would turn one stolen credential into any number of them.
      if (actor.signInKind !== 'browser') throw new AppError('denied', 'answer this in the browser');
      const asking = await findCliLogin(db, requestId, now());
      if (asking?.state !== 'pending' || isOfAnother(asking, actor)) throw unknownRequest();
      // What is tied to one address must not be handed to another by saying yes.
      if (body.action === 'accept' && asking.address !== '' && isPinned(parts.access, actor))
        await guard.requireById(actor.signInId, { address: asking.address, door: 'command line' });
      const proof = body.action === 'accept' ? await proofFor(actor, body.tokenId) : undefined;
      // Whoever has none proves the password by it.
      const byDevice = proof !== undefined && (await hasDevices(parts, actor.username));
      // It asks for a second factor and for nothing else: a yes without one would be told as one.
      if (body.action === 'accept' && kubeIn(asking) && !byDevice) throw await noDevice(actor);
      await db.transaction().execute(async (tx) => {
        // What the browser stands on, the command line stands on: it must not outlive what a provider said.
        const accepting = await requireStillSignedIn(tx, actor, now());
        const request = await findCliLogin(tx, requestId, now());
        if (request?.state !== 'pending') throw unknownRequest();
        if (proof) await spendUserToken(tx, proof, now());
        const fields = { user: actor.username, client: request.client, 'addr.remote': request.address };
        if (body.action === 'deny') {
          if (!(await settleCliLogin(tx, requestId, { state: 'denied', sign_in: null }))) throw unknownRequest();
          await audit.emit(tx, cliLoginDenied, fields, { signInId: actor.signInId });
          return;
        }
        if (request.ssh !== null)
          return await acceptApproval(tx, actor, request, {
            keepKey: body.keepKey === true,
            byDevice,
            now: now(),
            audit,
          });
        const signIn = await insertSignIn(tx, {
          user: actor.username,
          kind: 'cli',
          through: accepting.through,
          name: request.client,
          now: now(),
          expires: Math.min(now() + SIGN_IN_MS, endByProvider(accepting)),
          address: request.address,
          userAgent: exchange.userAgent,
        });
        if (!(await settleCliLogin(tx, requestId, { state: 'accepted', sign_in: signIn.id }))) throw unknownRequest();
        await audit.emit(tx, cliLoginAccepted, fields, { signInId: signIn.id });
      });
      return OK;
    },
  };

  /** One click in a browser that was left open must not sign in a machine elsewhere. */
  async function proofFor(actor: Actor, tokenId: string | undefined): Promise<UserToken | undefined> {
    if (tokenId === undefined) {
      await requireFreshProof(parts, actor);
      return undefined;
    }
    const token = await requireUserToken(db, tokenId, ['privilege'], now());
    if (token.user !== actor.username) throw new AppError('denied', 'this token was made for somebody else');
    return token;
  }

  async function noDevice({ username }: Actor): Promise<AppError> {
    return (await hasDevices(parts, username))
      ? new AppError('mfa_required', 'prove it with one of your devices first')
      : new AppError('denied', 'you have no second factor: add one to your account first');
  }
}

/** Of a second factor somebody else is asked for there is nothing to see or answer. */
function isOfAnother(request: CliLogin, { username }: Actor): boolean {
  const kube = kubeIn(request);
  return kube !== undefined && kube.user !== username;
}

function unknownRequest(): AppError {
  return new AppError('not_found', 'this request is not known, was answered already, or has expired: start again');
}
