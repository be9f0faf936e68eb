/** STS and the sign-in endpoint of AWS on this machine, as strict as they are: a signature that does not fit is refused. */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface LocalAws {
  origin: string;
  /** What was asked of STS, in order. */
  assumed: Record<string, string>[];
  /** Signs in with a token that was given out, once. */
  redeem(token: string): string | undefined;
  close(): Promise<void>;
}

interface Key {
  accessKeyId: string;
  secretAccessKey: string;
  region: string;
  /** Roles that the key may take, and the external id that each wants. */
  roles: Record<string, string>;
}

const CLOCK_SKEW_MS = 5 * 60_000;

export async function startLocalAws(key: Key): Promise<LocalAws> {
  const assumed: Record<string, string>[] = [];
  const issued = new Map<string, { secret: string; session: string; role: string }>();
  const tokens = new Map<string, string>();

  const server = createServer(async (request, response) => {
    const body = await text(request);
    const url = new URL(request.url ?? '', 'http://local');
    const answer = (status: number, type: string, content: string) =>
      response.writeHead(status, { 'content-type': type }).end(content);
    if (request.method === 'GET' && url.pathname === '/federation') {
      const token = trade(url.searchParams);
      return answer(token ? 200 : 400, 'application/json', token ? JSON.stringify({ SigninToken: token }) : '');
    }
    const wrong = signatureFault(request, body, key);
    if (wrong) return answer(403, 'text/xml', errorXml(wrong, 'the request is not signed as it must be'));
    const form = Object.fromEntries(new URLSearchParams(body));
    assumed.push(form);
    const refusal = refused(form);
    if (refusal)
      return answer(refusal === 'ValidationError' ? 400 : 403, 'text/xml', errorXml(refusal, `not ${form.RoleArn}`));
    const made = { id: `ASIA${hex(8).toUpperCase()}`, secret: hex(20), session: hex(32) };
    issued.set(made.id, { secret: made.secret, session: made.session, role: form.RoleArn ?? '' });
    return answer(200, 'text/xml', credentialsXml(made));
  });

  function refused(form: Record<string, string>): string | undefined {
    const { Action, Version, RoleArn = '', RoleSessionName = '', ExternalId = '', DurationSeconds } = form;
    if (Action !== 'AssumeRole' || Version !== '2011-06-15') return 'InvalidAction';
    if (!/^[\w+=,.@-]{2,64}$/.test(RoleSessionName)) return 'ValidationError';
    if (!(Number(DurationSeconds) >= 900 && Number(DurationSeconds) <= 3600)) return 'ValidationError';
    return key.roles[RoleArn] === ExternalId ? undefined : 'AccessDenied';
  }

  function trade(query: URLSearchParams): string | undefined {
    if (query.get('Action') !== 'getSigninToken') return undefined;
    const { sessionId, sessionKey, sessionToken } = JSON.parse(query.get('Session') ?? '{}') as Record<string, string>;
    const held = issued.get(sessionId ?? '');
    if (!held || held.secret !== sessionKey || held.session !== sessionToken) return undefined;
    const token = hex(32);
    tokens.set(token, held.role);
    return token;
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    assumed,
    redeem(token) {
      const role = tokens.get(token);
      tokens.delete(token);
      return role;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Signature Version 4, computed anew from what arrived. */
export function signatureFault(
  request: IncomingMessage,
  body: string,
  key: Pick<Key, 'accessKeyId' | 'secretAccessKey' | 'region'>,
  service = 'sts',
): string | undefined {
  const { authorization = '', 'x-amz-date': date = '' } = request.headers as Record<string, string>;
  const pattern =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/;
  const [, id, day = '', region = '', asked, names = '', signature = ''] = pattern.exec(authorization) ?? [];
  if (id !== key.accessKeyId || asked !== service) return 'InvalidClientTokenId';
  const time = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  const isFresh = Math.abs(Date.now() - time) < CLOCK_SKEW_MS && date.startsWith(day);
  const signed = names.split(';');
  if (!isFresh || region !== key.region || !signed.includes('host') || !signed.includes('x-amz-date'))
    return 'SignatureDoesNotMatch';
  const [path = '/', query = ''] = (request.url ?? '/').split('?', 2);
  const headers = signed.map((name) => `${name}:${String(request.headers[name] ?? '').trim()}\n`).join('');
  const canonical = [request.method, path, query, headers, names, sha256(body)].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n');
  const signing = [day, region, service, 'aws4_request'].reduce<Buffer>(
    (secret, part) => hmac(secret, part),
    Buffer.from(`AWS4${key.secretAccessKey}`),
  );
  const expected = hmac(signing, toSign);
  return timingSafeEqual(expected, Buffer.from(signature, 'hex')) ? undefined : 'SignatureDoesNotMatch';
}

function hmac(key: Buffer, data: string): Buffer {
  return createHmac('sha256', key).update(data).digest();
}

function sha256(data: string): string {
  return createHash('sha256').update(data).digest('hex');
}

function hex(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}

function credentialsXml({ id, secret, session }: { id: string; secret: string; session: string }): string {
  const expires = new Date(Date.now() + 3_600_000).toISOString();
  return `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials><AccessKeyId>${id}</AccessKeyId><SecretAccessKey>${secret}</SecretAccessKey><SessionToken>${session}</SessionToken><Expiration>${expires}</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`;
}

function errorXml(code: string, message: string): string {
  return `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error><RequestId>local</RequestId></ErrorResponse>`;
}
