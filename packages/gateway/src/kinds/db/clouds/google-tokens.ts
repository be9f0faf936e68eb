/** Access tokens of Google Cloud, with which instances of Cloud SQL are signed in to: from a file of credentials, or from the machine the gateway runs on. */
import { sign } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseJson } from '@gatehouse/contract/std/parse-json';
import { z } from 'zod';
import type { GoogleEnvironment } from '../../../platform/config/google-environment.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import { askOwnMachine } from '../../../reach/direct/ask-own-machine.ts';
import type { BoundedFetch, BoundedRequest } from '../../../reach/direct/bounded-fetch.ts';

export interface GoogleTokens {
  /** Good for a few minutes at least. Throws `AppError` that says where credentials were looked for. */
  token(): Promise<string>;
}

/** Enough to sign in to instances, and nothing else. */
const SCOPE = 'https://www.googleapis.com/auth/sqlservice.login';
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const JWT_SECONDS = 3_600;
const SPARE_MS = 5 * 60_000;

const tokenUri = z.url({ protocol: /^https?$/ }).default('https://oauth2.googleapis.com/token');
const credentials = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('service_account'),
    client_email: z.string(),
    private_key: z.string(),
    private_key_id: z.string().optional(),
    token_uri: tokenUri,
  }),
  z.object({
    type: z.literal('authorized_user'),
    client_id: z.string(),
    client_secret: z.string(),
    refresh_token: z.string(),
    token_uri: tokenUri,
  }),
]);
type GoogleCredentials = z.output<typeof credentials>;

const answer = z.object({ access_token: z.string().min(1).max(16_384), expires_in: z.number().positive() });

interface Issued {
  token: string;
  until: number;
}

export function createGoogleTokens(
  environment: GoogleEnvironment,
  now: () => number,
  fetch: BoundedFetch,
): GoogleTokens {
  let held: Issued | undefined;
  let asking: Promise<Issued> | undefined;

  async function issue(): Promise<Issued> {
    const found = await findCredentials(environment);
    const { access_token: token, expires_in: seconds } = found
      ? await trade(fetch, found, now())
      : await askMachine(environment.metadataHost || 'metadata.google.internal');
    return { token, until: now() + seconds * 1000 - SPARE_MS };
  }

  return {
    async token() {
      if (held && held.until > now()) return held.token;
      asking ??= issue().finally(() => {
        asking = undefined;
      });
      held = await asking;
      return held.token;
    },
  };
}

/** Undefined: there is no file. One that was named and cannot be read is a mistake that somebody must hear of. */
async function findCredentials({ credentialsFile: named }: GoogleEnvironment): Promise<GoogleCredentials | undefined> {
  const usual = join(homedir(), '.config', 'gcloud', 'application_default_credentials.json');
  const file = named || usual;
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (!named) return undefined;
    throw new AppError('not_available', `the credentials of Google Cloud in '${file}' cannot be read`, {
      cause: error,
    });
  }
  const read = credentials.safeParse(parseJson(text));
  if (read.success) return read.data;
  // Its contents are secret: only what they are is told.
  throw new AppError(
    'not_available',
    `the credentials of Google Cloud in '${file}' are none of a service account or a user, which are those that can be used here`,
  );
}

async function trade(fetch: BoundedFetch, found: GoogleCredentials, now: number) {
  const body: Record<string, string> =
    found.type === 'service_account'
      ? { grant_type: GRANT, assertion: assertionOf(found, now) }
      : {
          ...{ grant_type: 'refresh_token', refresh_token: found.refresh_token },
          ...{ client_id: found.client_id, client_secret: found.client_secret },
        };
  const url = new URL(found.token_uri);
  return await ask(fetch, url, { method: 'POST', body: new URLSearchParams(body) }).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'denied') throw error;
    throw new AppError('target_unreachable', `Google Cloud at ${url.host} gives no token`, { cause: error });
  });
}

function assertionOf(account: Extract<GoogleCredentials, { type: 'service_account' }>, now: number): string {
  const iat = Math.floor(now / 1000);
  const part = (content: object) => Buffer.from(JSON.stringify(content)).toString('base64url');
  const { private_key_id: kid } = account;
  const head = part({ alg: 'RS256', typ: 'JWT', ...(kid ? { kid } : {}) });
  const { client_email: iss, token_uri: aud } = account;
  const claims = part({ iss, aud, scope: SCOPE, iat, exp: iat + JWT_SECONDS });
  try {
    const signature = sign('RSA-SHA256', Buffer.from(`${head}.${claims}`), account.private_key);
    return `${head}.${claims}.${signature.toString('base64url')}`;
  } catch {
    // The cause may repeat the key.
    throw new AppError('not_available', 'the private key in the credentials of Google Cloud cannot be read');
  }
}

/** The service account of the machine or the pod. */
async function askMachine(host: string) {
  const url = new URL(`http://${host}/computeMetadata/v1/instance/service-accounts/default/token`);
  url.searchParams.set('scopes', SCOPE);
  try {
    return await ask(askOwnMachine, url, { headers: { 'metadata-flavor': 'Google' } });
  } catch (error) {
    throw new AppError(
      'not_available',
      'no credentials of Google Cloud were found: GOOGLE_APPLICATION_CREDENTIALS names no file, there is none of gcloud, and the machine of the gateway has no service account that may sign in to Cloud SQL',
      { cause: error },
    );
  }
}

async function ask(fetch: BoundedFetch, url: URL, init: BoundedRequest) {
  const response = await fetch(url, init);
  const text = await response.text();
  if (!response.ok) throw refused(url.host, response.status, text);
  return answer.parse(parseJson(text));
}

const failure = z.object({ error: z.string().max(100), error_description: z.string().optional() });

function refused(host: string, status: number, text: string): AppError {
  const { data } = failure.safeParse(parseJson(text));
  const why = data
    ? `${data.error}${data.error_description ? `: ${data.error_description.slice(0, 300)}` : ''}`
    : status;
  return new AppError('denied', `Google Cloud at ${host} gives no token: ${why}`);
}
