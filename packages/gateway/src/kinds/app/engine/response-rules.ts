/** What of an application's answer is turned round or left out before a browser sees it. */
import { parseAppUri } from '@gatehouse/contract/kinds/app/app-spec';
import { endToEnd } from '../../../reach/http/hop-by-hop.ts';
import { isOurCookie } from './read-request.ts';

export interface ResponseRules {
  /** Scheme, host and port browsers know the application by. */
  origin: string;
  /** Its host there. */
  appHost: string;
  /** `host:port` of the application as redirects may name it. */
  inside: ReadonlySet<string>;
  /** No application sets cookies for it, or for a domain that holds it; one that stands under it sets them for its own host alone. */
  gatewayHost: string;
}

/** Names and values in turn. `headers` has its names in lower case. */
export function passHeaders(headers: readonly string[], rules: ResponseRules): string[] {
  const kept = endToEnd(headers);
  const passed: string[] = [];
  for (let at = 0; at < kept.length; at += 2) {
    const name = kept[at]!;
    const value = kept[at + 1]!;
    if (name === 'location' || name === 'content-location') passed.push(name, turnedRound(value, rules));
    else if (name !== 'set-cookie') passed.push(name, value);
    else {
      const cookie = ownCookie(value, rules);
      if (cookie !== undefined) passed.push(name, cookie);
    }
  }
  return passed;
}

const USUAL = { http: 80, https: 443 } as const;

/** A redirect to where the application believes to be leads to where browsers know it. */
function turnedRound(location: string, { origin, inside }: ResponseRules): string {
  const [, scheme = '', authority = '', rest = ''] = /^(https?):\/\/([^/?#\\]+)(.*)$/is.exec(location) ?? [];
  const lower = scheme.toLowerCase();
  if (lower !== 'http' && lower !== 'https') return location;
  const parsed = parseAppUri(`${lower}://${authority}`);
  if (!parsed || parsed.hasCredentials) return location;
  const isInside = inside.has(`${parsed.host}:${parsed.port || USUAL[lower]}`) || inside.has(parsed.host);
  return isInside ? `${origin}${rest.startsWith('/') || rest === '' ? rest : `/${rest}`}` : location;
}

function ownCookie(line: string, { appHost, gatewayHost }: ResponseRules): string | undefined {
  const name = line.slice(0, Math.max(0, line.indexOf('='))).trim();
  // With these it could put its visitors into a session of its own choice.
  if (isOurCookie(name)) return undefined;
  if (!/;\s*domain\s*=/i.test(line)) return line;
  return line
    .split(';')
    .filter((part) => {
      const [, domain] = /^\s*domain\s*=\s*\.?(.*?)\s*$/i.exec(part) ?? [];
      return domain === undefined || keepsDomain(domain.toLowerCase(), appHost, gatewayHost);
    })
    .join(';');
}

/** Below a host under the gateway's name may stand applications of a leaf that is called the same, and above it those of the whole leaf. */
function keepsDomain(domain: string, host: string, gatewayHost: string): boolean {
  const holds = (name: string) => name === domain || name.endsWith(`.${domain}`);
  return domain !== '' && holds(host) && !holds(gatewayHost) && !host.endsWith(`.${gatewayHost}`);
}
