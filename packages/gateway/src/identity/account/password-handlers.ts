/** Answers the calls of links, password change and privilege tokens. */

import { passwordChanged, privilegeTokenCreated, resetTokenCreated } from '@gatehouse/contract/audit/account-events';
import { inviteMadeLocally } from '@gatehouse/contract/audit/user-events';
import type { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { ZERO_TIME } from '@gatehouse/contract/std/dates';
import { OK } from '@gatehouse/contract/wire/ack';
import { refuseTakeover } from '../../access/escalation.ts';
import { requireReach } from '../../access/reach.ts';
import { publish } from '../../platform/change-feed/publish.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Exchange, Handlers } from '../../platform/http/call.ts';
import { contextOf } from '../../platform/http/context-of.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { beginTotp } from '../factors/enrol-device.ts';
import type { ProvenFactor } from '../factors/second-factor.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import { checkPassword } from '../sign-in/check-password.ts';
import type { Attempts } from '../sign-in/failures.ts';
import { refuseSignIn } from '../sign-in/finish-sign-in.ts';
import { isLocalActor } from '../sign-in/local-actor.ts';
import { requireStillSignedIn } from '../sign-in/still-signed-in.ts';
import { proveFactor, wrongCode } from '../step-up/prove-again.ts';
import { hasDevices, requireFreshPassword } from '../step-up/recent-proof.ts';
import { forgetChallengesOf } from '../stores/challenge-store.ts';
import { endSignIn, listSignIns, markProven } from '../stores/sign-in-store.ts';
import { findUser, notePasswordSetIn, replacePasswordHash, type User } from '../stores/user-store.ts';
import { createUserToken, requireUserToken } from '../stores/user-token-store.ts';
import { decodePassword } from './decode-password.ts';
import { linkFor } from './link-for.ts';
import { makerOf, requireMaker } from './link-maker.ts';
import { ownUser } from './own-account.ts';
import { redeemLink } from './redeem-link.ts';

interface PasswordDeps extends IdentityDeps {
  attempts: Attempts;
}

export function passwordHandlers(deps: PasswordDeps): Handlers<typeof passwordRoutes> {
  const { db, now, audit, attempts, cache, settings } = deps;
  return {
    async createToken({ actor, body: { name, type }, exchange }) {
      const { tokenId, expires } = await db.transaction().execute(async (tx) => {
        if (!actor.isOwner) await requireStillSignedIn(tx, actor, now());
        const naming = { actor, verb: 'update', kind: 'user', name } as const;
        const user = requireReach(deps.access, naming, await findUser(tx, name));
        // Whoever has the link has the account, if they want.
        refuseTakeover(deps.access, actor, user);
        await deps.refuseProvidersGift(tx, actor, user);
        const token = await createUserToken(tx, { type, user: name, ...makerOf(actor), now: now() });
        const expiry = new Date(token.expires).toISOString();
        const fields = { user: actor.username, name, expires: expiry };
        const context = contextOf(actor, exchange);
        if (isLocalActor(actor)) await audit.emit(tx, inviteMadeLocally, { ...fields, type }, context);
        else await audit.emit(tx, resetTokenCreated, fields, context);
        return token;
      });
      const link = linkFor(settings, { tokenId, type });
      return { tokenId, user: name, expiry: new Date(expires).toISOString(), link };
    },

    async readToken({ params: { tokenId } }) {
      const token = await requireUserToken(db, tokenId, ['invite', 'password', 'recovery'], now());
      if (token.type === 'privilege') throw new Error('a privilege token is not a link');
      const user = await findUser(db, token.user);
      if (user) await requireMaker(deps, token, user);
      const { qrCode, secret } = await beginTotp(deps, token);
      const keepsPassword = token.type === 'recovery' && user?.passwordHash !== undefined;
      return {
        tokenId,
        user: token.user,
        qrCode,
        expiry: ZERO_TIME,
        type: token.type,
        totpSecret: secret,
        keepsPassword,
      };
    },

    async useToken({ body, exchange }) {
      return redeemLink(deps, body, exchange);
    },

    async change({ actor, body, exchange }) {
      const user = await ownUser(db, actor);
      const hash = await deps.passwords.hash(decodePassword(body.new_password));
      const who = { name: user.name, address: exchange.address };
      await attempts.attempt(who, async () => {
        const from = await checkPassword(deps, user, decodePassword(body.old_password));
        if (from === undefined) {
          await refuseSignIn(deps, { ...who, exchange, reason: 'wrong password' });
          throw new AppError('bad_request', 'the current password is not right', { fields: { field: 'old_password' } });
        }
        const answer = { code: body.second_factor_token, key: body.webauthnAssertionResponse };
        const factor = (await hasDevices(deps, user.name))
          ? await proveFactor(deps, actor, answer, exchange)
          : undefined;
        await storePassword(user, { from, to: hash }, { actor, exchange, factor });
      });
      return OK;
    },

    async createPrivilegeToken({ actor, body, exchange }) {
      const user = await ownUser(db, actor);
      const answer = { code: body.secondFactorToken, key: body.webauthnAssertionResponse };
      if (!(await hasDevices(deps, user.name))) {
        await requireFreshPassword(deps, actor);
        return makePrivilegeToken(actor, exchange, undefined);
      }
      if (!answer.code && !answer.key) {
        throw new AppError('mfa_required', 'prove it with one of your devices first');
      }
      return attempts.attempt({ name: user.name, address: exchange.address }, async () =>
        makePrivilegeToken(actor, exchange, await proveFactor(deps, actor, answer, exchange)),
      );
    },
  };

  async function makePrivilegeToken(
    actor: Actor,
    exchange: Exchange,
    factor: ProvenFactor | undefined,
  ): Promise<string> {
    const made = await db.transaction().execute(async (tx) => {
      await requireStillSignedIn(tx, actor, now());
      if (factor && !(await factor.use(tx))) return undefined;
      if (factor) await markProven(tx, actor.signInId, { mfaAt: now(), mfaDevice: factor.device.id });
      const { username } = actor;
      const { address } = exchange;
      const made = { type: 'privilege' as const, user: username, createdBy: username, now: now() };
      const token = await createUserToken(tx, address === '' ? made : { ...made, address });
      const fields = { user: username, name: username, expires: new Date(token.expires).toISOString() };
      await audit.emit(tx, privilegeTokenCreated, fields, contextOf(actor, exchange));
      return token;
    });
    if (!made) throw await wrongCode(deps, actor, exchange);
    cache.dropSignIn(actor.signInId);
    return made.tokenId;
  }

  async function storePassword(
    user: User,
    { from, to }: { from: string; to: string },
    { actor, exchange, factor }: { actor: Actor; exchange: Exchange; factor: ProvenFactor | undefined },
  ): Promise<void> {
    const ended = await db.transaction().execute(async (tx) => {
      await requireStillSignedIn(tx, actor, now());
      if (factor && !(await factor.use(tx))) return undefined;
      if (!(await replacePasswordHash(tx, user.name, from, to)))
        throw new AppError('conflict', 'your password was changed elsewhere meanwhile: begin again');
      await notePasswordSetIn(tx, user.name, actor.signInId);
      await forgetChallengesOf(tx, user.name);
      await publish(tx, { topic: 'user', id: user.name });
      // Whoever came in with the old password goes out with it. Tokens for scripts have a list and an end of their own.
      const others = (await listSignIns(tx, user.name, now())).filter(
        ({ id, kind }) => id !== actor.signInId && kind !== 'token',
      );
      for (const { id } of others) await endSignIn(tx, id, 'credentials_reset', now());
      const fields = { user: user.name, 'addr.remote': exchange.address };
      await audit.emit(tx, passwordChanged, fields, { signInId: actor.signInId });
      return others;
    });
    if (!ended) throw await wrongCode(deps, actor, exchange);
    for (const { id } of ended) deps.cache.dropSignIn(id);
  }
}
