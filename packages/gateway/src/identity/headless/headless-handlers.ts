/** Answers whoever is asked by a machine without a browser: what it wants, and yes or no. */
import { headlessLoginAccepted, headlessLoginDenied } from '@gatehouse/contract/audit/sign-in-events';
import { HEADLESS_STATES, type headlessRoutes } from '@gatehouse/contract/identity/headless';
import { OK } from '@gatehouse/contract/wire/ack';
import { headlessCode } from '../../platform/crypto/ssh/headless-id.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Exchange, Handlers } from '../../platform/http/call.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { clientKey } from '../../platform/std/client-key.ts';
import { requirePerson } from '../account/own-account.ts';
import { takesKeys } from '../factors/second-factor.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import type { AddressGuard } from '../sign-in/address-guard.ts';
import type { Attempts } from '../sign-in/failures.ts';
import { requireStillSignedIn } from '../sign-in/still-signed-in.ts';
import { isPinned } from '../sign-in/tied-address.ts';
import { proveFactor } from '../step-up/prove-again.ts';
import { endByProvider, insertSignIn, SIGN_IN_MS } from '../stores/sign-in-store.ts';
import { findHeadless, listHeadless, type StoredHeadless, settleHeadless } from './headless-store.ts';
import type { HeadlessWaits } from './headless-waits.ts';

interface HeadlessHandlerDeps extends IdentityDeps {
  guard: AddressGuard;
  attempts: Attempts;
  waits: HeadlessWaits;
  lookMs?: number;
}

/** For so long a browser that was quicker than the machine waits for it; and whoever guesses ids, for nothing. */
const LOOK_MS = 30_000;
const REQUEST_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const STATES: Readonly<Record<string, number>> = {
  pending: HEADLESS_STATES.pending,
  denied: HEADLESS_STATES.denied,
  accepted: HEADLESS_STATES.approved,
};

export function headlessHandlers(deps: HeadlessHandlerDeps): Handlers<typeof headlessRoutes> {
  const { db, now, audit, guard, waits, settings } = deps;

  /** Those of others are waited for as those that are not there: neither time nor words tell them apart. */
  async function own(actor: Actor, id: string, exchange: Exchange): Promise<StoredHeadless> {
    requirePerson(actor);
    // Of no key: there is nothing to wait for.
    if (!REQUEST_ID.test(id)) throw unknown();
    const wait = { id, who: `sign-in ${actor.signInId}`, ms: deps.lookMs ?? LOOK_MS, gone: exchange.gone() };
    const found = await waits.until(wait, async () => {
      const request = await findHeadless(db, id, now());
      return request?.user === actor.username ? request : undefined;
    });
    if (!found) throw unknown();
    return found;
  }

  return {
    async list({ actor }) {
      requirePerson(actor);
      return (await listHeadless(db, actor.username, now())).map(({ id, server, login, client, expires }) => ({
        ...{ requestId: id, server, login, client },
        expires: new Date(expires).toISOString(),
      }));
    },

    async get({ actor, params: { requestId }, exchange }) {
      return toRequest(await own(actor, requestId, exchange), exchange.address);
    },

    async answer({ actor, params: { requestId }, body, exchange }) {
      requirePerson(actor);
      if (actor.signInKind !== 'browser') throw new AppError('denied', 'answer this in the browser');
      const asking = await own(actor, requestId, exchange);
      if (asking.state !== 'pending') throw answered();
      const fields = { user: actor.username, request: asking.id, ...told(asking), 'addr.remote': asking.address };
      if (body.action === 'denied') {
        await db.transaction().execute(async (tx) => {
          await requireStillSignedIn(tx, actor, now());
          if (!(await settleHeadless(tx, asking, { state: 'denied', sign_in: null }))) throw answered();
          await audit.emit(tx, headlessLoginDenied, fields, { signInId: actor.signInId });
        });
        return OK;
      }
      const key = body.webauthnAssertionResponse;
      if (!key || !takesKeys(settings.secondFactor))
        throw new AppError('mfa_required', 'only a hardware key or passkey approves this: a one-time code does not');
      // What is tied to one address must not be handed to another by saying yes.
      if (isPinned(deps.access, actor))
        await guard.requireById(actor.signInId, { address: asking.address, door: 'headless' });
      await deps.attempts.attempt({ name: actor.username, address: exchange.address }, async () => {
        const factor = await proveFactor(deps, actor, { code: undefined, key }, exchange);
        await db.transaction().execute(async (tx) => {
          const accepting = await requireStillSignedIn(tx, actor, now());
          if (!(await factor.use(tx))) throw new AppError('bad_request', 'the key was not accepted: try again');
          const signIn = await insertSignIn(tx, {
            ...{ user: actor.username, kind: 'cli', through: accepting.through, name: asking.client || 'headless' },
            ...{ now: now(), expires: Math.min(now() + SIGN_IN_MS, endByProvider(accepting)) },
            ...{ address: asking.address, userAgent: exchange.userAgent },
            ...{ mfaAt: now(), mfaDevice: factor.device.name },
          });
          if (!(await settleHeadless(tx, asking, { state: 'accepted', sign_in: signIn.id }))) throw answered();
          await audit.emit(tx, headlessLoginAccepted, fields, { signInId: signIn.id });
        });
      });
      return OK;
    },
  };
}

function unknown(): AppError {
  return new AppError('bad_request', 'the request cannot be found, or is over: start again');
}

function answered(): AppError {
  return new AppError('denied', 'the request was answered already, or is over');
}

/** For the log: what was approved, not only that something was. */
function told({ command, login, server }: StoredHeadless): { command: string } {
  return { command: `ssh ${login}@${server}${command === '' ? '' : ` ${command}`}` };
}

function toRequest(request: StoredHeadless, browserAddress: string) {
  const { id, user, public_key, address, created, server, login, command, client } = request;
  const expires = new Date(request.expires).toISOString();
  return {
    header: { kind: 'headless_authentication', version: 'v1', metadata: { name: id, expires } },
    ...{ user, public_key, state: STATES[request.state] ?? 0, client_ip_address: address },
    gatehouse: {
      code: headlessCode(Buffer.from(public_key, 'base64')),
      ...{ server, login, command, client, browserAddress, expires },
      elsewhere: clientKey(address) !== clientKey(browserAddress),
      created: new Date(created).toISOString(),
    },
  };
}
