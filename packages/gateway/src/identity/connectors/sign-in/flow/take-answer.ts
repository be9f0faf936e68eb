/** Takes the answer of a provider, once, and keeps what it proved for the browser that began. */
import type { ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import { z } from 'zod';
import { newToken } from '../../../../platform/crypto/tokens.ts';
import type { Exchange } from '../../../../platform/http/call.ts';
import type { PageReply } from '../../../../platform/http/page-reply.ts';
import { clientKey } from '../../../../platform/std/client-key.ts';
import { type ConnectorDeps, openAs, openConnector } from '../../connector-deps.ts';
import type { Assertion, OpenConnector } from '../../providers/provider.ts';
import { ProviderError } from '../../providers/provider-error.ts';
import { providerOf } from '../../providers/providers.ts';
import { type Attempt, type KeptAttempt, keepAnswer, takeForAnswer } from '../../stores/attempt-store.ts';
import { findConnector } from '../../stores/connector-store.ts';
import { isNamed, otherNameless } from '../own-callback.ts';
import { failAttempt } from './fail-attempt.ts';
import { failTest } from './finish-test.ts';

const FINISH = '/v1/webapi/sso/finish/';
export const CLOSE_WINDOW = {
  words: 'Done. Go back to where you began; this window can be closed.',
  closes: true,
} as const satisfies PageReply;

export interface GivenAnswer {
  kind: ConnectorKind;
  /** The connector that the address names; undefined where it names none. */
  name: string | undefined;
  fields: Readonly<Record<string, unknown>>;
  state: string | undefined;
  exchange: Exchange;
}

export async function takeAnswer(deps: ConnectorDeps, given: GivenAnswer): Promise<PageReply> {
  const { kind, exchange, state } = given;
  const taken = state ? await takeForAnswer(deps.db, deps.secrets, state, deps.now()) : undefined;
  if (!taken) {
    const error = new ProviderError(
      'redirect',
      'nobody waits for this answer: it is late, was used before, or began elsewhere',
    );
    return { refresh: await failAttempt(deps, { kind, connector: '', error, exchange }), failed: true };
  }
  const { attempt, kept } = taken;
  const step: { assertion?: Assertion } = {};
  try {
    await requireOwnAddress(deps, given, attempt, kept);
    const connector = await connectorOf(deps, given, attempt, kept);
    step.assertion = await providerOf(kind).answer(deps.asking(connector), connector, {
      fields: given.fields,
      callback: kept.callback,
      state: state!,
      kept: kept.kept,
      client: clientKey(exchange.address),
    });
    const code = newToken();
    await keepAnswer(deps.db, deps.secrets, attempt, { code, answer: writeAssertion(step.assertion), now: deps.now() });
    return { refresh: `${FINISH}${code}` };
  } catch (error) {
    if (attempt.purpose === 'test') {
      await failTest(deps, attempt, kept, { error, exchange });
      return CLOSE_WINDOW;
    }
    const { connector, revision } = attempt;
    return {
      refresh: await failAttempt(deps, { kind, connector, revision, error, exchange, assertion: step.assertion }),
      failed: true,
    };
  }
}

/** Who was told an address that names the connector answers there: elsewhere it is the code of another provider, and would be sent to this one. */
async function requireOwnAddress(
  { db }: Pick<ConnectorDeps, 'db'>,
  { kind, name }: GivenAnswer,
  { connector }: Attempt,
  { callback }: KeptAttempt,
): Promise<void> {
  if (name !== undefined) return;
  if (isNamed(callback, connector))
    throw new ProviderError('redirect', `the answer for '${connector}' came to the address of another connector`);
  const other = kind === 'saml' ? undefined : await otherNameless(db, kind, connector);
  if (other === undefined) return;
  throw new ProviderError(
    'settings',
    `'${connector}' and '${other}' are both answered at an address that names neither: let redirect_url of each end in /callback/ and its name`,
  );
}

/** The one that was begun with, as it was then: an answer is never checked by the rules of another. */
export async function connectorOf(
  deps: Pick<ConnectorDeps, 'db' | 'secrets' | 'opened'>,
  given: Pick<GivenAnswer, 'kind' | 'name'>,
  attempt: Attempt,
  { draft }: KeptAttempt,
): Promise<OpenConnector> {
  if (attempt.kind !== given.kind || (given.name !== undefined && given.name !== attempt.connector))
    throw new ProviderError(
      'redirect',
      `the answer came to the address of another connector than '${attempt.connector}'`,
    );
  const stored = await findConnector(deps.db, attempt.connector);
  if (draft)
    return openAs(attempt.kind, {
      name: attempt.connector,
      content: draft.content,
      secrets: draft.secrets,
      ownMachine: draft.ownMachine,
      facts: stored?.facts ?? {},
    });
  if (!stored?.enabled || stored.revision !== attempt.revision)
    throw new ProviderError('settings', `connector '${attempt.connector}' was changed meanwhile: begin again`);
  return openConnector(deps, stored);
}

const assertionSchema = z.object({
  issuer: z.string(),
  subject: z.string(),
  username: z.string(),
  claims: z.array(z.tuple([z.string(), z.array(z.string())])),
  mfa: z.boolean(),
  provenAt: z.number().optional(),
  providerSession: z.string().optional(),
  expires: z.number().optional(),
  tokens: z.string().optional(),
  notes: z.array(z.string()),
  facts: z.record(z.string(), z.unknown()).optional(),
});

function writeAssertion(assertion: Assertion): string {
  return JSON.stringify({ ...assertion, claims: [...assertion.claims] });
}

export function readAssertion(text: string): Assertion {
  const { claims, ...rest } = assertionSchema.parse(JSON.parse(text));
  return { ...rest, claims: new Map(claims) };
}
