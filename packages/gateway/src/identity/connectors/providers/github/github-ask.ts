/** Asking GitHub: every answer is read as what its API says, or refused in words for administrators. */
import type { ConnectorStep } from '@gatehouse/contract/identity/connectors/connector-tests';
import type { z } from 'zod';
import { AppError } from '../../../../platform/std/app-error.ts';
import type { ProviderDeps } from '../provider.ts';
import { ProviderError } from '../provider-error.ts';
import type { ProviderRequest } from '../provider-fetch.ts';

export interface ApiAnswer<T> {
  body: T;
  headers: Headers;
}

/** The token was taken back, or the account is gone. */
export class TokenRefused extends ProviderError {
  override name = 'TokenRefused';
}

const API_VERSION = '2022-11-28';
const CONTROL = /\p{C}/gu;

export interface Question<T> {
  step: ConnectorStep;
  url: string;
  schema: z.ZodType<T>;
  request?: ProviderRequest;
}

export async function askApi<T>(
  deps: Pick<ProviderDeps, 'fetch'>,
  token: string,
  { url, schema, step, request }: Question<T>,
): Promise<ApiAnswer<T>> {
  const headers = {
    accept: 'application/vnd.github+json',
    authorization: `Bearer ${token}`,
    'x-github-api-version': API_VERSION,
  };
  const response = await send(deps, step, url, { ...request, headers });
  if (response.status === 401) throw new TokenRefused(step, `GitHub does not take the token any more (${pathOf(url)})`);
  if (response.status !== 200) throw refusal(step, response, url);
  return { body: await read(response, { url, schema, step }), headers: response.headers };
}

/** The token endpoint: what it refuses, it refuses with 200. */
export async function askToken<T>(
  deps: Pick<ProviderDeps, 'fetch'>,
  { url, schema, step, request }: Question<T>,
): Promise<T> {
  const response = await send(deps, step, url, { ...request, method: 'POST', headers: { accept: 'application/json' } });
  if (response.status === 404)
    throw new ProviderError(
      step,
      `GitHub knows no application with this client_id, or not by this secret (${pathOf(url)})`,
      { isTrouble: true },
    );
  if (response.status !== 200) throw refusal(step, response, url);
  return await read(response, { url, schema, step });
}

/** What somebody else wrote, short and without what could disguise it. */
export function quoted(given: string): string {
  return `'${given.replaceAll(CONTROL, ' ').slice(0, 200)}'`;
}

async function send(
  { fetch }: Pick<ProviderDeps, 'fetch'>,
  step: ConnectorStep,
  url: string,
  request: ProviderRequest,
): Promise<Response> {
  try {
    return await fetch(url, request);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new ProviderError(step, error.message, { cause: error, isTrouble: true });
  }
}

async function read<T>(response: Response, { url, schema, step }: Omit<Question<T>, 'request'>): Promise<T> {
  const unusable = (cause?: unknown) =>
    new ProviderError(step, `${new URL(url).origin} does not answer as GitHub does (${pathOf(url)})`, { cause });
  let given: unknown;
  try {
    given = await response.json();
  } catch (error) {
    throw unusable(error);
  }
  const parsed = schema.safeParse(given);
  if (!parsed.success) throw unusable(parsed.error);
  return parsed.data;
}

function refusal(step: ConnectorStep, response: Response, url: string): ProviderError {
  const isAway = response.status >= 500;
  return new ProviderError(step, refusalWords(response, url), { isAway, isTrouble: isAway });
}

function refusalWords({ status, headers }: Response, url: string): string {
  const isSpent = headers.get('x-ratelimit-remaining') === '0' || headers.has('retry-after');
  if (status === 429 || (status === 403 && isSpent))
    return 'GitHub takes no more questions for now: its limit is reached';
  if (status === 403 && headers.get('x-github-sso')?.startsWith('required'))
    return "GitHub wants a sign-in at the organisation's own provider first";
  return `GitHub answers ${status} (${pathOf(url)})`;
}

function pathOf(url: string): string {
  return new URL(url).pathname;
}
