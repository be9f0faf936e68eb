/** What every request of one session carries to its application, and how the answers are turned round. */
import { JWT_HEADER } from '@gatehouse/contract/kinds/app/apps';
import { SPECIAL_TEMPLATE } from '../../access/header-templates.ts';
import { keepTemplates } from '../../access/match/known-templates.ts';
import { templateTraits } from '../../access/user-traits.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { isFieldValue } from '../../reach/http/response-head.ts';
import type { ListedApp } from './app-directory.ts';
import type { AppHosts } from './app-hosts.ts';
import type { AppSecrets } from './app-secrets.ts';
import { plainName, type RequestRules } from './engine/request-head.ts';
import type { ResponseRules } from './engine/response-rules.ts';
import { TOKEN_MS } from './identity-keys.ts';
import type { IdentityTokens } from './identity-token.ts';

export interface SessionRulesDeps {
  hosts: AppHosts;
  tokens: Pick<IdentityTokens, 'sign' | 'kid'>;
  secrets: Pick<AppSecrets, 'open'>;
  clusterName: string;
  now: () => number;
}

type Person = Pick<Actor, 'username' | 'roles' | 'traits'>;

/** The token is made anew well before it ends, for applications whose clock is late. */
const RENEW_MS = 5 * 60_000;
/** Headers are made for every session and with every token: what they are made of is read once. */
const templateOf = keepTemplates();
const USUAL_PORT: Readonly<Record<string, number>> = { http: 80, https: 443 };

export function sessionRules(
  { hosts, tokens, secrets, clusterName, now }: SessionRulesDeps,
  { app, person, address, session }: { app: ListedApp; person: Person; address: string; session: string },
): RequestRules & ResponseRules {
  const { host } = app;
  const { rewrite } = secrets.open(app.resource.name, app);
  const own = rewrite.headers.find(({ name }) => name.toLowerCase() === 'host');
  const origin = new URL(hosts.originOf(host));
  const fixed = lines([
    ['x-forwarded-for', address],
    ['x-forwarded-proto', origin.protocol.slice(0, -1)],
    ['x-forwarded-host', origin.host],
    ['x-forwarded-port', origin.port || (origin.protocol === 'https:' ? '443' : '80')],
    ['x-forwarded-server', hosts.base()],
    ['x-real-ip', address],
  ]);
  let made = { text: '', renew: 0, kid: '' };
  const withToken = () => {
    const time = now();
    const kid = tokens.kid();
    const jwt = tokens.sign(claimsOf({ person, app, session, clusterName, time }));
    const rules = rewrite.headers
      .filter(({ name }) => name.toLowerCase() !== 'host')
      .flatMap(({ name, value }) => expand(value, person, jwt).map((text): [string, string] => [name, text]));
    return { text: `${fixed}${lines([[JWT_HEADER, jwt], ...rules])}`, renew: time + RENEW_MS, kid };
  };
  return {
    host: own ? (expand(own.value, person, '')[0] ?? authority(app)) : authority(app),
    reserved: new Set(rewrite.headers.map(({ name }) => plainName(name))),
    lines() {
      if (now() >= made.renew || made.kid !== tokens.kid()) made = withToken();
      return made.text;
    },
    origin: origin.origin,
    // The application's own host for cookies and redirects is what browsers know it by.
    appHost: host,
    inside: insideHosts(app),
    gatewayHost: hosts.base(),
  };
}

function claimsOf({
  person,
  app,
  session,
  clusterName,
  time,
}: {
  person: Person;
  app: ListedApp;
  session: string;
  clusterName: string;
  time: number;
}): Record<string, unknown> {
  const { jwt } = app.spec.rewrite;
  const seconds = Math.floor(time / 1000);
  return {
    iss: clusterName,
    // The address as the reference has it; the name beside it is one application's alone.
    aud: [app.spec.uri, app.resource.name],
    sub: person.username,
    username: person.username,
    ...(jwt === 'roles' || jwt === 'roles-and-traits' ? { roles: person.roles } : {}),
    ...(jwt === 'traits' || jwt === 'roles-and-traits' ? { traits: person.traits } : {}),
    session,
    iat: seconds,
    nbf: seconds - 30,
    exp: seconds + TOKEN_MS / 1000,
  };
}

/** Host and port the application is dialled by, as browsers would write it. */
function authority({ address: { scheme, host, port } }: ListedApp): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return port === USUAL_PORT[scheme] ? name : `${name}:${port}`;
}

function insideHosts({ address, spec }: ListedApp): ReadonlySet<string> {
  const inside = new Set([
    `${address.host}:${address.port}`,
    ...spec.rewrite.redirect.map((host) => host.toLowerCase()),
  ]);
  // Behind TLS that ends before it, an application believes to be at the plain port.
  if (address.port === 443) inside.add(`${address.host}:80`);
  return inside;
}

/** A trait with several values is several headers. Nothing that could end a line gets into one. */
function expand(value: string, person: Person, jwt: string): string[] {
  const [, before = '', special, after = ''] = SPECIAL_TEMPLATE.exec(value) ?? [];
  const texts =
    special === undefined
      ? (templateOf(value)?.expand(templateTraits(person.traits)) ?? [value])
      : [`${before}${special === 'jwt' ? jwt : person.username}${after}`];
  return texts.filter(isFieldValue);
}

function lines(headers: readonly (readonly [string, string])[]): string {
  return headers
    .filter(([, value]) => isFieldValue(value))
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
}
