/** What clouds say to a gateway that signs in to their databases: the API of Redshift and the tokens of Google, on this machine, as strict as they are. */
import { verify } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { signatureFault } from '../apps/aws/local-aws.ts';

export interface StubClouds {
  host: string;
  origin: string;
  /** What was asked, in order. */
  asked: Record<string, string>[];
  close(): Promise<void>;
}

export interface StubCloudsOptions {
  key: { accessKeyId: string; secretAccessKey: string; region: string };
  /** What Redshift gives out, for the cluster `shop` alone. */
  password: string;
  /** Of the service account `robot@project`. */
  publicKey: string;
  /** What Google gives out. */
  token: string;
}

export async function startStubClouds({ key, password, publicKey, token }: StubCloudsOptions): Promise<StubClouds> {
  const asked: Record<string, string>[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const form = Object.fromEntries(new URLSearchParams(body));
    const url = new URL(request.url ?? '', 'http://local');
    asked.push({ path: url.pathname, ...form });
    const answer = (status: number, content: string) => response.writeHead(status).end(content);
    const given = JSON.stringify({ access_token: token, expires_in: 3_599, token_type: 'Bearer' });
    if (url.pathname === '/token')
      return isSigned(form.assertion ?? '', publicKey)
        ? answer(200, given)
        : answer(400, JSON.stringify({ error: 'invalid_grant', error_description: 'Invalid JWT Signature.' }));
    if (url.pathname.startsWith('/computeMetadata/'))
      return request.headers['metadata-flavor'] === 'Google' ? answer(200, given) : answer(403, '');
    const fault = signatureFault(request, body, key, 'redshift');
    if (fault) return answer(403, errorXml(fault, 'not signed as it must be'));
    if (form.Action !== 'GetClusterCredentials' || form.Version !== '2012-12-01' || form.AutoCreate !== 'false')
      return answer(400, errorXml('InvalidAction', 'no such action'));
    if (form.ClusterIdentifier !== 'shop') return answer(404, errorXml('ClusterNotFound', 'Cluster & co not found.'));
    return answer(200, credentialsXml(form.DbUser ?? '', password));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    ...{ host, origin: `http://${host}`, asked },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** By the service account, for this door, and for no longer than an hour. */
function isSigned(assertion: string, publicKey: string): boolean {
  const [head = '', claims = '', signature = ''] = assertion.split('.');
  const read = JSON.parse(Buffer.from(claims, 'base64url').toString() || '{}') as Record<string, string | number>;
  const isRight = read.iss === 'robot@project' && Number(read.exp) - Number(read.iat) <= 3_600;
  const isLimited = read.scope === 'https://www.googleapis.com/auth/sqlservice.login';
  const signed = Buffer.from(`${head}.${claims}`);
  return isRight && isLimited && verify('RSA-SHA256', signed, publicKey, Buffer.from(signature, 'base64url'));
}

function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

function credentialsXml(user: string, password: string): string {
  return `<GetClusterCredentialsResponse xmlns="http://redshift.amazonaws.com/doc/2012-12-01/"><GetClusterCredentialsResult><DbUser>IAM:${escaped(user)}</DbUser><DbPassword>${escaped(password)}</DbPassword><Expiration>2030-01-01T00:00:00Z</Expiration></GetClusterCredentialsResult></GetClusterCredentialsResponse>`;
}

function errorXml(code: string, message: string): string {
  return `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${escaped(message)}</Message></Error></ErrorResponse>`;
}
