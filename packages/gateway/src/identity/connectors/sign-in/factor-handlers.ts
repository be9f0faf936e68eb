/** Asks whoever came through a connector with `mfa: gateway` for a device of theirs, before any cookie is set. */
import type { ssoFactorRoutes } from '@gatehouse/contract/identity/connectors/factor-flow';
import type { Exchange, Handlers } from '../../../platform/http/call.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import { clientKey } from '../../../platform/std/client-key.ts';
import { askForFactor, checkCode, checkKey, type ProvenFactor } from '../../factors/second-factor.ts';
import { signInReply } from '../../sign-in/begin-sign-in.ts';
import { refuseSignIn } from '../../sign-in/finish-sign-in.ts';
import { listDevices } from '../../stores/device-store.ts';
import type { ConnectorDeps } from '../connector-deps.ts';
import { ProviderError } from '../providers/provider-error.ts';
import { findByCode } from '../stores/attempt-store.ts';
import type { Proof } from '../stores/proof.ts';
import { failAttempt } from './flow/fail-attempt.ts';
import { proofOf, signInProven, wantsFactor } from './flow/finish-attempt.ts';
import { resolveUser } from './resolve-user.ts';

interface Waiting {
  proof: Proof;
  username: string;
  /** Nobody is called so yet: the sign-in that waits would make them. */
  isNew: boolean;
}

export function factorHandlers(deps: ConnectorDeps): Handlers<typeof ssoFactorRoutes> {
  return {
    async challenge({ body: { code }, exchange }) {
      const { proof, username, isNew } = await waiting(code, exchange);
      const challenge = await askForFactor(deps, {
        purpose: 'login',
        user: username,
        signInId: undefined,
        tiedTo: clientKey(exchange.address),
      });
      if (challenge.webauthn_challenge || challenge.totp_challenge) return challenge;
      // A link is made to an account, and the first sign-in, which makes it, is the one that waits here.
      const words = isNew
        ? `you have no account here yet, and so no second factor: ask an administrator to make '${username}', to give you the link, and to link the account to '${proof.connector.name}'`
        : 'you have no second factor here yet: ask an administrator for a reset link, and add one by it';
      throw new AppError('mfa_required', words, { fields: { reason: 'no_device' } });
    },

    async answer({ body: { code, totp, webauthn }, exchange }) {
      const { proof, username } = await waiting(code, exchange);
      return deps.attempts.attempt({ name: username, address: exchange.address }, async () => {
        const factor = webauthn
          ? await proveKey(username, webauthn, exchange)
          : await proveCode(username, totp ?? '', exchange);
        try {
          const begun = await signInProven(deps, proof, { exchange, factor });
          const { inactivityTimeoutMs } = deps.settings;
          const told = {
            user: begun.signIn.user,
            now: deps.now(),
            sessionExpires: begun.signIn.expires,
            inactivityTimeoutMs,
          };
          return { signIn: signInReply(begun.bearer, told), redirect: proof.kept.path };
        } catch (error) {
          const { kind, connector } = proof.attempt;
          await failAttempt(deps, { kind, connector, error, exchange, assertion: proof.assertion });
          throw new AppError('denied', 'the sign-in did not work: begin again', { cause: error });
        }
      });
    },
  };

  /** Whoever the provider proved, in the browser that began; nobody else is told whether there is such a person. */
  async function waiting(code: string, exchange: Exchange): Promise<Waiting> {
    try {
      const found = await findByCode(deps.db, deps.secrets, code, deps.now());
      if (found?.attempt.purpose !== 'browser') throw tooLate();
      const proof = await proofOf(deps, found, exchange);
      if (!wantsFactor(proof)) throw tooLate();
      const { name, user } = await resolveUser(deps.db, proof.connector, proof.assertion);
      return { proof, username: name, isNew: user === undefined };
    } catch (error) {
      throw error instanceof ProviderError ? tooLate(error) : error;
    }
  }

  async function proveKey(
    username: string,
    response: NonNullable<Parameters<typeof checkKey>[1]['response']>,
    exchange: Exchange,
  ): Promise<ProvenFactor> {
    return checkKey(
      deps,
      { response, requestOrigin: exchange.origin },
      (challenge, device) => challenge.purpose === 'login' && challenge.user === username && device.user === username,
    ).catch(async (cause: unknown) => {
      throw new AppError('denied', 'the key was not accepted: try again', { cause });
    });
  }

  async function proveCode(username: string, code: string, exchange: Exchange): Promise<ProvenFactor> {
    const factor = code === '' ? undefined : await checkCode(deps, await listDevices(deps.db, username), code);
    if (factor) return factor;
    throw await refuseSignIn(deps, {
      name: username,
      address: exchange.address,
      exchange,
      reason: 'wrong one-time code',
    });
  }
}

function tooLate(cause?: unknown): AppError {
  return new AppError('not_found', 'this sign-in is over: begin again', { cause });
}
