/** Why an OpenID provider's answer could not be used, in words for administrators. What libraries throw is never kept: it holds tokens. */
import type { ConnectorStep } from '@gatehouse/contract/identity/connectors/connector-tests';
import { AppError } from '../../../../platform/std/app-error.ts';
import { isUnreachable, ProviderError } from '../provider-error.ts';

const MAX_WORDS = 300;
const MAX_CAUSES = 8;

/** OAuth's own words for what went wrong, and what to do. */
const ADVICE: Readonly<Record<string, string>> = {
  access_denied: 'they declined, or may not use this application',
  invalid_client: 'look at client_id and client_secret',
  unauthorized_client: 'the application may not use the authorization code flow there',
  invalid_scope: 'look at scope',
  invalid_grant: 'the code was used before, is too old, or was made for another callback address',
  login_required: 'they are not signed in there, and prompt lets nobody be asked',
};

/** Those that are about the application, whoever it asks for. */
const OURS = new Set(['invalid_client', 'unauthorized_client']);

export function oidcTrouble(step: ConnectorStep, error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  const causes = causesOf(error);
  const isAway = causes.some((cause) => isUnreachable(cause) || isFailing(cause));
  const isOurs = causes.some((cause) => cause instanceof AppError);
  const isTrouble = step === 'discovery' || isAway || isOurs || isRefused(step, error);
  return new ProviderError(step, wordsFor(error), { isTrouble, isAway });
}

function isFailing({ cause }: Error): boolean {
  return cause instanceof Response && cause.status >= 500;
}

/** By the provider itself: what a browser brings says whatever whoever sits before it likes. */
function isRefused(step: ConnectorStep, error: unknown): boolean {
  return step !== 'redirect' && OURS.has(oauthErrorOf(error) ?? '');
}

/** What a provider says may hold anything: a log and a page get printable characters, and not many. */
export function printable(given: string): string {
  const clean = given.replaceAll(/\p{C}+/gu, ' ');
  return clean.length > MAX_WORDS ? `${clean.slice(0, MAX_WORDS)}…` : clean;
}

/** `invalid_grant` and its like, where the provider answered with one. */
export function oauthErrorOf(error: unknown): string | undefined {
  const found = causesOf(error).find((cause) => 'error' in cause && typeof cause.error === 'string');
  return found && 'error' in found ? String(found.error) : undefined;
}

/** Claims that say when: they are seldom wrong, and clocks often. */
const OF_TIME = /"(iat|nbf|exp|auth_time)"(?!.*missing)/;

function wordsFor(error: unknown): string {
  const causes = causesOf(error);
  const ours = causes.find((cause) => cause instanceof AppError);
  if (ours) return ours.message;
  const said = oauthErrorOf(error);
  if (said !== undefined) return `the provider says '${printable(said)}'${descriptionOf(causes)}${adviceFor(said)}`;
  const deepest = causes.at(-1);
  const why = printable(deepest?.message ?? 'it is no error');
  return `the provider's answer cannot be used: ${why}${statusOf(deepest)}${OF_TIME.test(why) ? ': compare the clocks' : ''}`;
}

function adviceFor(said: string): string {
  return Object.hasOwn(ADVICE, said) ? `: ${ADVICE[said]}` : '';
}

function descriptionOf(causes: readonly Error[]): string {
  const found = causes.find((cause) => 'error_description' in cause && typeof cause.error_description === 'string');
  return found && 'error_description' in found ? ` (${printable(String(found.error_description))})` : '';
}

function statusOf(error: Error | undefined): string {
  return error?.cause instanceof Response ? ` (${error.cause.status})` : '';
}

function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let at = error; at instanceof Error && causes.length < MAX_CAUSES; at = at.cause) causes.push(at);
  return causes;
}
