/** The end of a way through a provider that did not work: an event with the reason, and a page with fixed words and an id that finds it. */

import { identityConflict } from '@gatehouse/contract/audit/connector-events';
import { ssoLoginFailed } from '@gatehouse/contract/audit/sign-in-events';
import type { ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import type { LoginFailure } from '@gatehouse/contract/identity/login-failure';
import { newToken } from '../../../../platform/crypto/tokens.ts';
import type { Exchange } from '../../../../platform/http/call.ts';
import { AppError } from '../../../../platform/std/app-error.ts';
import type { Tx } from '../../../../platform/storage/tables.ts';
import type { ConnectorDeps } from '../../connector-deps.ts';
import type { Assertion } from '../../providers/provider.ts';
import { isUnreachable, ProviderError } from '../../providers/provider-error.ts';
import { findConnector } from '../../stores/connector-store.ts';
import { noteTrouble } from '../note-trouble.ts';
import { NameConflict } from '../resolve-user.ts';

const ID_CHARACTERS = 12;

export interface Failed {
  kind: ConnectorKind;
  /** Empty where nobody knows which one it was. */
  connector: string;
  /** Of the connector as it was used. */
  revision?: string | undefined;
  error: unknown;
  exchange: Pick<Exchange, 'address' | 'userAgent'>;
  assertion?: Assertion | undefined;
}

/** Gives the address of the page that says so. */
export async function failAttempt(deps: ConnectorDeps, failed: Failed): Promise<string> {
  const { db, audit, log, loginFailures } = deps;
  const { kind, connector, error, exchange, assertion } = failed;
  const id = newToken(16).slice(0, ID_CHARACTERS);
  const reason = reasonOf(error);
  if (!isExpected(error)) log.error({ error, connector, id }, 'a sign-in through a provider failed');
  await db.transaction().execute(async (tx) => {
    await audit.emit(tx, ssoLoginFailed, {
      user: assertion?.username ?? '',
      success: false,
      error: reason,
      method: connector === '' ? kind : `${kind}:${connector}`,
      failure_id: id,
      user_agent: exchange.userAgent,
      'addr.remote': exchange.address,
    });
    if (error instanceof NameConflict && assertion)
      await audit.emit(tx, identityConflict, {
        name: error.username,
        connector,
        subject: assertion.subject,
        error: reason,
        'addr.remote': exchange.address,
      });
    if (isTrouble(error)) await keepTrouble(deps, tx, failed, reason);
  });
  return loginFailures.addressOf(
    failureOf(error),
    `${adviceOf(error)}The reason is in the audit log under ${id}: tell it to an administrator.`,
  );
}

/** On the connector's card; one that was edited meanwhile may be right by now. */
async function keepTrouble(
  { audit }: ConnectorDeps,
  tx: Tx,
  { connector, revision }: Failed,
  reason: string,
): Promise<void> {
  const stored = await findConnector(tx, connector);
  if (stored?.enabled && stored.revision === revision) await noteTrouble(tx, audit, stored, reason);
}

/** Of the connector or its provider, whoever it is about. */
export function isTrouble(error: unknown): boolean {
  return error instanceof ProviderError ? error.isTrouble : isUnreachable(error);
}

function isAway(error: unknown): boolean {
  return error instanceof ProviderError ? error.isAway : isUnreachable(error);
}

/** What whoever sees the public page can do themselves. */
function adviceOf(error: unknown): string {
  if (isAway(error)) return 'The provider did not answer: try again in a few minutes. ';
  return error instanceof ProviderError && error.advice !== '' ? `${error.advice} ` : '';
}

/** For the event and the test. Whatever is not ours says nothing: it may hold what must not be told. */
export function reasonOf(error: unknown): string {
  return isExpected(error) ? (error as Error).message : 'something went wrong in the gateway: look at its log';
}

function isExpected(error: unknown): boolean {
  return error instanceof ProviderError || error instanceof AppError;
}

function failureOf(error: unknown): LoginFailure {
  // The page of an answer that was of no use would say that there was one.
  return error instanceof ProviderError && !error.isAway ? error.failure : 'generic';
}
