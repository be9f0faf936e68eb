/** Finishes a way through a provider in the browser that began it: signed in, tested, or linked. */
import { ssoLogin } from '@gatehouse/contract/audit/sign-in-events';
import { PAGES } from '@gatehouse/contract/console/pages';
import { sameText } from '../../../../platform/crypto/tokens.ts';
import type { Exchange } from '../../../../platform/http/call.ts';
import type { PageReply } from '../../../../platform/http/page-reply.ts';
import type { Tx } from '../../../../platform/storage/tables.ts';
import type { ProvenFactor } from '../../../factors/second-factor.ts';
import { type BegunSignIn, beginSignIn } from '../../../sign-in/begin-sign-in.ts';
import { holdUsers } from '../../../stores/administrators.ts';
import { deviceFields } from '../../../stores/device-store.ts';
import type { ConnectorDeps } from '../../connector-deps.ts';
import { linkProven } from '../../links/link-proven.ts';
import { compileConnector } from '../../mapping/map-assertion.ts';
import type { Assertion } from '../../providers/provider.ts';
import { ProviderError } from '../../providers/provider-error.ts';
import { type Attempt, extendCode, findByCode, finishAttempt, type KeptAttempt } from '../../stores/attempt-store.ts';
import { findConnector, noteConnector } from '../../stores/connector-store.ts';
import { holdLogouts, wasSignedOut } from '../../stores/logout-store.ts';
import type { Proof } from '../../stores/proof.ts';
import { enterUser } from '../enter-user.ts';
import { noteFacts } from '../note-facts.ts';
import { requireConfirmed, resolveUser } from '../resolve-user.ts';
import { browserOf } from './begin-attempt.ts';
import { failAttempt } from './fail-attempt.ts';
import { finishTest } from './finish-test.ts';
import { isDoneByOtherTab } from './other-tab.ts';
import { CLOSE_WINDOW, connectorOf, readAssertion } from './take-answer.ts';

/** For finding one's key. */
const FACTOR_MS = 5 * 60_000;

export async function finishFlow(deps: ConnectorDeps, code: string, exchange: Exchange): Promise<PageReply> {
  const found = await findByCode(deps.db, deps.secrets, code, deps.now());
  if (!found) {
    const error = new ProviderError('redirect', 'the answer of the provider was used before, or is too old');
    return { refresh: await failAttempt(deps, { kind: 'oidc', connector: '', error, exchange }), failed: true };
  }
  const { attempt } = found;
  const { kind, connector } = attempt;
  const assertion = readAssertion(found.answer);
  try {
    if (await isDoneByOtherTab(deps, { attempt, assertion, exchange })) {
      await requireUnfinished(deps, attempt);
      return { refresh: found.kept.path };
    }
    const proof = await proofOf(deps, found, exchange);
    switch (attempt.purpose) {
      case 'test':
        await requireUnfinished(deps, attempt);
        await finishTest(deps, attempt, found.kept, { connector: proof.connector, assertion, exchange });
        return CLOSE_WINDOW;
      case 'prove':
        await requireSameSignIn(deps, attempt, exchange);
        await linkProven(deps, proof);
        return CLOSE_WINDOW;
      case 'browser':
        if (wantsFactor(proof)) {
          await extendCode(deps.db, attempt, FACTOR_MS);
          return { refresh: `${PAGES.login.path}?sso=${code}` };
        }
        await signInProven(deps, proof, { exchange, factor: undefined });
        return { refresh: found.kept.path };
      default:
        return attempt.purpose satisfies never;
    }
  } catch (error) {
    return { refresh: await failAttempt(deps, { kind, connector, error, exchange, assertion }), failed: true };
  }
}

/** Somebody else's answer that was put into this browser would sign it in as them. */
export async function proofOf(
  deps: ConnectorDeps,
  { attempt, kept, answer }: { attempt: Attempt; kept: KeptAttempt; answer: string },
  exchange: Exchange,
): Promise<Proof> {
  if (!sameText(browserOf(exchange), attempt.browserHash))
    throw new ProviderError('redirect', 'this browser did not begin the sign-in that the answer is for');
  const connector = await connectorOf(deps, { kind: attempt.kind, name: undefined }, attempt, kept);
  return { attempt, kept, assertion: readAssertion(answer), connector };
}

export function wantsFactor({ connector }: Pick<Proof, 'connector'>): boolean {
  return connector.document.spec.mfa === 'gateway';
}

async function requireUnfinished({ db, now }: ConnectorDeps, attempt: Attempt): Promise<void> {
  if (!(await db.transaction().execute((tx) => finishAttempt(tx, attempt, now())))) throw usedBefore();
}

function usedBefore(): ProviderError {
  return new ProviderError('redirect', 'the answer of the provider was used before');
}

/** Somebody else may have signed in in another tab since: whoever they are at the provider is not who began. */
async function requireSameSignIn({ byCookie }: ConnectorDeps, attempt: Attempt, exchange: Exchange): Promise<void> {
  const live = await byCookie(exchange.cookie('session'), { address: exchange.address, door: 'page' });
  if (live?.signIn.id !== attempt.signInId)
    throw new ProviderError('user', 'whoever began the link is not signed in any more in this browser');
}

/** Identity, user, roles, traits, sign-in and events in one transaction; the cookie only once it is committed. */
export async function signInProven(
  deps: ConnectorDeps,
  { attempt, assertion, connector }: Proof,
  { exchange, factor }: { exchange: Exchange; factor: ProvenFactor | undefined },
): Promise<BegunSignIn> {
  const { db, now, access, audit } = deps;
  // Before the others wait for us: it may take a while.
  const mapped = await deps.provider.memo(connector, compileConnector)(access, assertion.claims);
  const begun = await db.transaction().execute(async (tx) => {
    if (!(await finishAttempt(tx, attempt, now()))) throw usedBefore();
    await holdUsers(tx);
    await requireUnchanged(tx, attempt);
    await holdLogouts(tx, attempt.connector, 'shared');
    await refuseSignedOut(tx, attempt, assertion);
    const resolved = await resolveUser(tx, connector, assertion);
    // Unlinked, and linked to another account, while they looked for their device.
    if (factor && factor.device.user !== resolved.name)
      throw new ProviderError('user', 'the device is of another account');
    if (!factor) requireConfirmed(resolved);
    await enterUser(deps, tx, { connector, assertion, mapped, resolved, provenDevice: factor?.device.id });
    if (factor && !(await factor.use(tx)))
      throw new ProviderError('user', 'the one-time code was used twice, or the device removed meanwhile');
    const signIn = await beginSignIn(tx, resolved.name, {
      exchange,
      now: now(),
      proven: {
        password: false,
        mfa: factor !== undefined || assertion.mfa,
        device: factor?.device.id,
        there: assertion.provenAt,
      },
      through: { connector: connector.name, subject: assertion.subject, providerSession: assertion.providerSession },
      until: assertion.expires,
    });
    await noteConnector(tx, connector.name, { lastSignIn: now(), trouble: '' });
    await noteFacts(tx, audit, connector.name, assertion);
    await audit.emit(
      tx,
      ssoLogin,
      {
        user: resolved.name,
        success: true,
        method: `${connector.kind}:${connector.name}`,
        ...(factor ? { mfa_device: deviceFields(factor.device) } : {}),
        attributes: shortClaims(assertion),
        user_agent: exchange.userAgent,
        'addr.remote': exchange.address,
      },
      { signInId: signIn.signIn.id },
    );
    return signIn;
  });
  exchange.setCookie('session', begun.cookie);
  exchange.clearCookie('gh_sso');
  return begun;
}

/** Between the answer and here an administrator may have switched it off. */
async function requireUnchanged(tx: Tx, { connector, revision }: Attempt): Promise<void> {
  const stored = await findConnector(tx, connector);
  if (stored?.enabled && stored.revision === revision) return;
  throw new ProviderError('settings', `connector '${connector}' was changed meanwhile: begin again`);
}

/** Between the answer and here the provider may have signed them out: what that ended, this would begin again. */
async function refuseSignedOut(tx: Tx, { connector, answered }: Attempt, assertion: Assertion): Promise<void> {
  const { subject, providerSession } = assertion;
  if (!(await wasSignedOut(tx, { connector, subject, providerSession }, answered ?? 0))) return;
  throw new ProviderError('redirect', 'they were signed out at the provider meanwhile: begin again');
}

const MAX_TOLD = { claims: 50, values: 50 };

/** Enough to say later why somebody had a role; events are bounded anyway. */
function shortClaims({ claims }: Assertion): Record<string, unknown> {
  return Object.fromEntries(
    [...claims]
      .filter(([claim]) => claim !== '__proto__')
      .slice(0, MAX_TOLD.claims)
      .map(([claim, values]) => [claim, values.slice(0, MAX_TOLD.values)]),
  );
}
