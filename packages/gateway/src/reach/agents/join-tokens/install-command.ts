/** What to type on a machine to enrol it, and whether that machine could reach this gateway at all. */
import { createHash, X509Certificate } from 'node:crypto';
import { installScriptOf, MACHINE_KIND, type NamedKind } from '@gatehouse/contract/kinds/kinds';
import type { JoinMethod } from '@gatehouse/contract/reach/join-tokens/iam';
import { isLoopback, urlHost } from '../../../platform/config/address.ts';
import type { GatewayConfig } from '../../../platform/config/resolve.ts';
import type { Certificate } from '../../../platform/tls/certificate.ts';
import type { NamedThing } from '../install/installable.ts';
import { shellQuote } from '../install/shell-quote.ts';

/** How machines find this gateway. */
export interface GatewayEndpoint {
  config: Pick<GatewayConfig, 'listen' | 'publicAddr' | 'proxy'>;
  /** Where people open the console, known once the gateway listens. */
  publicOrigin(): string;
  /** The certificate served now; undefined without TLS. */
  certificate(): Certificate | undefined;
}

export interface JoinEndpoint {
  origin: string;
  /** For curl: the public key the gateway shows, where no authority that machines know vouches for it. */
  pin: string | undefined;
  /** Why other machines cannot come here as things stand. */
  warning: string | undefined;
}

/** `callerOrigin` is what the one who asks came by: behind a listener without a name, the best guess there is. */
export function joinEndpoint(
  { config, publicOrigin, certificate }: GatewayEndpoint,
  callerOrigin: string,
): JoinEndpoint {
  const { listen, publicAddr, proxy } = config;
  const nameless = publicAddr === undefined && (proxy.behind || !isLoopback(listen.host));
  const origin = (nameless ? plainOrigin(callerOrigin) : undefined) ?? publicOrigin();
  const shown = certificate();
  const pinned = shown && !shown.vouchedFor && !proxy.behind;
  return { origin, pin: pinned ? publicKeyPin(shown) : undefined, warning: warningFor(config, origin) };
}

/** One line for a shell. What comes from outside stands in quotes, though it can hold nothing that needs them. */
export function installCommand({
  origin,
  pin,
  token,
  openSsh = false,
  named,
  several,
  method = 'token',
}: Pick<JoinEndpoint, 'origin' | 'pin'> & {
  token: string;
  openSsh?: boolean;
  /** What the agent will offer, instead of its machine. */
  named?: NamedThing | undefined;
  /** The kind of what it will offer or look after, by its file or by labels. */
  several?: NamedKind | undefined;
  method?: JoinMethod | undefined;
}): string {
  const script = installScriptOf(named?.kind ?? several ?? MACHINE_KIND);
  const query = new URLSearchParams({ ...named?.values, ...(method === 'token' ? {} : { method }) }).toString();
  const address = shellQuote(`${origin}/scripts/${token}/${script}${query && `?${query}`}`);
  const more = openSsh ? ` ${installScriptOf(MACHINE_KIND)} --openssh` : '';
  return `sudo sh -c "$(${fetchCommand(pin)} ${address})"${more}`;
}

/** As curl trusts the gateway, and no other. */
export function fetchCommand(pin: JoinEndpoint['pin']): string {
  return `curl -fsSL${pin === undefined ? '' : ` -k --pinnedpubkey ${shellQuote(pin)}`}`;
}

/** As `curl --pinnedpubkey` takes it. */
export function publicKeyPin({ cert }: Pick<Certificate, 'cert'>): string {
  const key = new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' });
  return `sha256//${createHash('sha256').update(key).digest('base64')}`;
}

function warningFor({ listen, proxy }: GatewayEndpoint['config'], origin: string): string | undefined {
  if (!isLoopbackOrigin(origin)) return undefined;
  if (isLoopback(listen.host) && !proxy.behind) {
    return `this gateway can be reached from its own machine only: it listens on ${urlHost(listen.host)}. Before other machines can join, set 'listen' to an address they reach, 'publicAddr' to its name, and a certificate`;
  }
  return "other machines do not know this gateway as 'localhost': set 'publicAddr' to the name they reach it by, or use the console under that name";
}

/** A caller writes the Host header by hand if they like: only what is plainly an address of somewhere else goes into a command. */
function plainOrigin(origin: string): string | undefined {
  const plain = /^https?:\/\/(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i.test(origin);
  return plain && URL.canParse(origin) && !isLoopbackOrigin(origin) ? origin : undefined;
}

function isLoopbackOrigin(origin: string): boolean {
  return isLoopback(new URL(origin).hostname.replace(/^\[|\]$/g, ''));
}
