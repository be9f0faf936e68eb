/** Asks GitHub for nothing before a browser is sent there: of one that has gone, people would see what their browser says, and nobody here would hear of it. */
import { AppError } from '../../../../platform/std/app-error.ts';
import type { OpenConnector, ProviderDeps } from '../provider.ts';
import { ProviderError } from '../provider-error.ts';
import { fetchFor } from '../provider-fetch.ts';
import { FAILED_MS, SENDING_MS } from '../provider-memory.ts';
import { endpointOf } from './github-addresses.ts';

interface Presence {
  answered?: number;
  asking?: Promise<void>;
  failed?: { at: number; error: unknown };
}
const unknown = (): Presence => ({});

/** Throws `ProviderError` where it does not answer. Whatever it says else is an answer: there is no code in the question. */
export async function requireAnswer(
  deps: ProviderDeps,
  connector: OpenConnector<'github'>,
  { isSparing = false }: { isSparing?: boolean | undefined } = {},
): Promise<void> {
  const presence = deps.memo(connector, unknown);
  if (presence.answered !== undefined && deps.now() - presence.answered < SENDING_MS) return;
  // Anybody may begin a sign-in: one that fails at once would be asked as fast as they begin.
  if (isSparing && presence.failed && deps.now() - presence.failed.at < FAILED_MS) throw presence.failed.error;
  presence.asking ??= ask(deps, connector)
    .then(
      () => {
        presence.answered = deps.now();
        delete presence.failed;
      },
      (error: unknown) => {
        presence.failed = { at: deps.now(), error };
        throw error;
      },
    )
    .finally(() => {
      delete presence.asking;
    });
  await presence.asking;
}

/** Where the code goes that the browser brings: if that is not there, nobody gets in, whatever their browser reaches. */
async function ask(deps: ProviderDeps, connector: OpenConnector<'github'>): Promise<void> {
  const url = `${endpointOf(connector.document.spec)}/login/oauth/access_token`;
  try {
    const request = { method: 'POST', headers: { accept: 'application/json' }, body: new URLSearchParams() };
    const { status } = await fetchFor(deps.fetch, connector)(url, request);
    if (status >= 500) throw new AppError('target_unreachable', `${url} answers with ${status}`);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new ProviderError('discovery', error.message, { cause: error });
  }
}
