/** Answers the calls of recovery codes. */
import {
  recoveryCodeFailed,
  recoveryCodesGenerated,
  recoveryCodeUsed,
  recoveryTokenCreated,
} from '@gatehouse/contract/audit/account-events';
import type { recoveryRoutes } from '@gatehouse/contract/identity/recovery';
import { publish } from '../../platform/change-feed/publish.ts';
import type { Exchange, Handlers } from '../../platform/http/call.ts';
import { contextOf } from '../../platform/http/context-of.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import { checkPassword } from '../sign-in/check-password.ts';
import { type Attempts, recordFailure } from '../sign-in/failures.ts';
import { holdUsers } from '../stores/administrators.ts';
import { findRecoveryCode, recoveryStatus, replaceRecoveryCodes, spendRecoveryCode } from '../stores/recovery-store.ts';
import { findUser, type User } from '../stores/user-store.ts';
import { createUserToken, requireUserToken, spendUserToken } from '../stores/user-token-store.ts';
import { requirePerson } from './own-account.ts';

interface RecoveryDeps extends IdentityDeps {
  attempts: Attempts;
}

export function recoveryHandlers(deps: RecoveryDeps): Handlers<typeof recoveryRoutes> {
  const { db, now, audit, attempts } = deps;
  return {
    async status({ actor }) {
      const { created, left } = await recoveryStatus(db, actor.username);
      return { created: created === undefined ? null : new Date(created).toISOString(), left };
    },

    async createCodes({ actor, body, exchange }) {
      requirePerson(actor);
      const token = await requireUserToken(db, body.tokenId, ['privilege'], now());
      if (token.user !== actor.username) throw new AppError('denied', 'this token was made for somebody else');
      const time = now();
      const codes = await db.transaction().execute(async (tx) => {
        await spendUserToken(tx, token, time);
        const fresh = await replaceRecoveryCodes(tx, actor.username, time);
        await publish(tx, { topic: 'user', id: actor.username });
        const where = contextOf(actor, exchange);
        await audit.emit(tx, recoveryCodesGenerated, { user: actor.username }, where);
        return fresh;
      });
      return { codes, created: new Date(time).toISOString() };
    },

    begin: ({ body, exchange }) =>
      // Open also while the name is locked: nobody guesses a code of 100 bits, and its owner may have nothing else.
      attempts.fromAddress(exchange.address, async () => {
        const user = await findUser(db, body.user);
        const passwordOk = await checkPassword(deps, user, body.pass ?? '');
        const hash = user && (await findRecoveryCode(db, user.name, body.code));
        const proven = user && hash && (passwordOk || user.passwordHash === undefined);
        const token = proven ? await startRecovery(user, hash, exchange) : undefined;
        if (token) return { tokenId: token.tokenId };
        await db.transaction().execute(async (tx) => {
          await recordFailure(tx, { name: body.user, address: exchange.address }, deps);
          const error = 'the code or the password is not right';
          const fields = { user: body.user, success: false, error, 'addr.remote': exchange.address };
          await audit.emit(tx, recoveryCodeFailed, fields);
        });
        throw new AppError('denied', 'invalid user name, password or recovery code');
      }),
  };

  /** Undefined when another call used the code first. */
  async function startRecovery(user: User, hash: string, exchange: Exchange) {
    const { name } = user;
    return db.transaction().execute(async (tx) => {
      // Whoever begins the keys anew has dropped the code by then, or spends what comes of it here.
      await holdUsers(tx);
      if ((await findUser(tx, name))?.passwordHash !== user.passwordHash) return undefined;
      if (!(await spendRecoveryCode(tx, name, hash, now()))) return undefined;
      const token = await createUserToken(tx, { type: 'recovery', user: name, createdBy: name, now: now() });
      await publish(tx, { topic: 'user', id: name });
      const from = { 'addr.remote': exchange.address };
      await audit.emit(tx, recoveryCodeUsed, { user: name, success: true, ...from });
      const expires = new Date(token.expires).toISOString();
      await audit.emit(tx, recoveryTokenCreated, { user: name, name, expires }, { address: exchange.address });
      return token;
    });
  }
}
