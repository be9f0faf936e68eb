/** The end of a test: everything that was heard and what it would give, for whoever began it. Nothing is changed by it. */
import { ssoTestLogin, ssoTestLoginFailed } from '@gatehouse/contract/audit/sign-in-events';
import {
  CONNECTOR_STEPS,
  type ConnectorStep,
  type ConnectorTest,
  type ConnectorTestStep,
} from '@gatehouse/contract/identity/connectors/connector-tests';
import { lackedTraits } from '../../../../access/missing-traits.ts';
import type { Exchange } from '../../../../platform/http/call.ts';
import { AppError } from '../../../../platform/std/app-error.ts';
import type { ConnectorDeps } from '../../connector-deps.ts';
import { compileConnector } from '../../mapping/map-assertion.ts';
import type { Assertion, Claims, OpenConnector } from '../../providers/provider.ts';
import { ProviderError } from '../../providers/provider-error.ts';
import { type Attempt, type KeptAttempt, keepResult } from '../../stores/attempt-store.ts';
import { findConnector } from '../../stores/connector-store.ts';
import { noteFacts } from '../note-facts.ts';
import { refuseLockedUser, requireConfirmed, resolveUser } from '../resolve-user.ts';
import { reasonOf } from './fail-attempt.ts';

const MAX_SHOWN_VALUES = 500;

export type TestResult = Omit<ConnectorTest, 'id' | 'kind' | 'connector' | 'expires'>;

const WORDS: Record<ConnectorStep, string> = {
  settings: 'the document can be read',
  discovery: 'the provider answers',
  redirect: 'the provider sent the browser back',
  token: 'what it said was checked',
  identity: 'somebody was told',
  mapping: 'their claims give roles',
  user: 'they can sign in',
};

export function waitingTest({ discovery }: Pick<KeptAttempt, 'discovery'>): TestResult {
  return { ...emptyTest(), state: 'waiting', steps: passedUntil('redirect', discovery) };
}

/** The provider has not let anybody through. */
export async function failTest(
  deps: ConnectorDeps,
  attempt: Attempt,
  kept: Pick<KeptAttempt, 'discovery'>,
  { error, exchange }: { error: unknown; exchange: Pick<Exchange, 'address' | 'userAgent'> },
): Promise<void> {
  const step = error instanceof ProviderError ? error.step : error instanceof AppError ? 'token' : 'redirect';
  const result = { ...emptyTest(), state: 'failed' as const, steps: failedAt(step, kept.discovery, reasonOf(error)) };
  await keep(deps, attempt, result, exchange, '');
}

export async function finishTest(
  deps: ConnectorDeps,
  attempt: Attempt,
  kept: Pick<KeptAttempt, 'discovery' | 'draft'>,
  {
    connector,
    assertion,
    exchange,
  }: { connector: OpenConnector; assertion: Assertion; exchange: Pick<Exchange, 'address' | 'userAgent'> },
): Promise<void> {
  const mapped = await deps.provider.memo(connector, compileConnector)(deps.access, assertion.claims);
  const heard = {
    ...emptyTest(),
    ...shownClaims(assertion.claims),
    roles: mapped.given,
    unmatched: mapped.unmatched,
    traits: mapped.traits,
    dropped: mapped.dropped,
    user: assertion.username,
  };
  const before = failedAt('mapping', kept.discovery, '').slice(0, CONNECTOR_STEPS.indexOf('mapping'));
  const told = before.map((step) => (step.step === 'identity' ? { ...step, message: tellIdentity(assertion) } : step));
  const hasRoles = mapped.roles.length > 0;
  const mapping: ConnectorTestStep = {
    step: 'mapping',
    status: hasRoles ? 'passed' : 'failed',
    message: hasRoles
      ? `gives ${mapped.roles.join(', ')}`
      : [`no entry of '${connector.name}' gives ${assertion.username} a role`, ...assertion.notes].join('; '),
  };
  const { outcome, user, conflict } = await tryUser(deps, connector, assertion, mapped.roles);
  // Told now, and not by a list of servers that lets them into none.
  const lacking = lackedTraits(deps.access.of({ username: user, roles: mapped.roles, traits: mapped.traits }));
  const last: ConnectorTestStep = conflict
    ? { step: 'user', status: 'failed', message: conflict }
    : {
        step: 'user',
        status: hasRoles ? 'passed' : 'skipped',
        message: [outcomeWords(outcome, user), ...lacking.map(({ why }) => why)].join('; '),
      };
  const isGood = hasRoles && conflict === undefined;
  const result: TestResult = {
    ...heard,
    state: isGood ? 'passed' : 'failed',
    steps: [...told, mapping, last],
    lacking,
    user,
    outcome: hasRoles ? outcome : 'refused',
    ...(conflict ? { conflict } : {}),
  };
  if (isGood) await learn(deps, connector.name, kept, assertion);
  await keep(deps, attempt, result, exchange, assertion.username);
}

/** By the test of what is saved alone: a draft may name another key, server or id, and would teach it to those who sign in. */
async function learn(
  { db, audit }: ConnectorDeps,
  name: string,
  { draft }: Pick<KeptAttempt, 'draft'>,
  assertion: Assertion,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const stored = await findConnector(tx, name);
    if (stored && stored.content === draft?.content) await noteFacts(tx, audit, name, assertion);
  });
}

async function tryUser(
  deps: ConnectorDeps,
  connector: OpenConnector,
  assertion: Assertion,
  roles: readonly string[],
): Promise<{ outcome: ConnectorTest['outcome']; user: string; conflict?: string }> {
  try {
    const resolved = await resolveUser(deps.db, connector, assertion);
    const { name, user } = resolved;
    // One that asks for a device here takes that for the confirmation.
    if (connector.document.spec.mfa !== 'gateway') requireConfirmed(resolved);
    refuseLockedUser(deps.access, name, roles);
    return { outcome: user ? 'known' : 'new', user: name };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return { outcome: 'refused', user: assertion.username, conflict: error.message };
  }
}

function outcomeWords(outcome: ConnectorTest['outcome'], user: string): string {
  return outcome === 'new' ? `'${user}' would be made` : `'${user}' is here already`;
}

function tellIdentity({ username, subject, mfa, notes }: Assertion): string {
  const factor = mfa ? ', with a second factor' : '';
  // Quoted, as a name stays as it is where these words begin a sentence; the subject is what linking asks for.
  return [`'${username}', subject '${subject}'${factor}`, ...notes].join('; ');
}

function shownClaims(claims: Claims): Pick<TestResult, 'claims' | 'counts'> {
  const named = [...claims].filter(([claim]) => claim !== '__proto__');
  return {
    claims: Object.fromEntries(named.map(([claim, values]) => [claim, values.slice(0, MAX_SHOWN_VALUES)])),
    counts: Object.fromEntries(
      named.filter(([, values]) => values.length > MAX_SHOWN_VALUES).map(([claim, values]) => [claim, values.length]),
    ),
  };
}

function emptyTest(): TestResult {
  return {
    state: 'waiting',
    steps: [],
    claims: {},
    counts: {},
    roles: [],
    unmatched: [],
    traits: {},
    dropped: [],
    lacking: [],
    user: '',
    outcome: '',
  };
}

function passedUntil(step: ConnectorStep, discovery: string): ConnectorTestStep[] {
  return CONNECTOR_STEPS.slice(0, CONNECTOR_STEPS.indexOf(step)).map((each) => ({
    step: each,
    status: 'passed',
    message: each === 'discovery' && discovery !== '' ? discovery : WORDS[each],
  }));
}

function failedAt(step: ConnectorStep, discovery: string, message: string): ConnectorTestStep[] {
  const after = CONNECTOR_STEPS.slice(CONNECTOR_STEPS.indexOf(step) + 1);
  return [
    ...passedUntil(step, discovery),
    { step, status: 'failed', message },
    ...after.map((each): ConnectorTestStep => ({ step: each, status: 'skipped', message: '' })),
  ];
}

async function keep(
  { db, audit, secrets }: ConnectorDeps,
  attempt: Attempt,
  result: TestResult,
  { address, userAgent }: Pick<Exchange, 'address' | 'userAgent'>,
  username: string,
): Promise<void> {
  await keepResult(db, secrets, attempt, JSON.stringify(result));
  const failed = result.steps.find(({ status }) => status === 'failed');
  const fields = {
    user: username,
    method: `${attempt.kind}:${attempt.connector}`,
    user_agent: userAgent,
    'addr.remote': address,
  };
  await db
    .transaction()
    .execute((tx) =>
      failed
        ? audit.emit(tx, ssoTestLoginFailed, { ...fields, success: false, error: failed.message })
        : audit.emit(tx, ssoTestLogin, { ...fields, success: true }),
    );
}
