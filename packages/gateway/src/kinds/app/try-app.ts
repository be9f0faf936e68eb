/** Tries the way to an application step by step, with the means that sessions use: the way, TCP, TLS, and what it answers. */
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { dialAddress } from '@gatehouse/contract/kinds/app/app-spec';
import type { ResponseHead } from '../../reach/http/response-head.ts';
import type { Reach } from '../../reach/reach.ts';
import { startTls } from '../../reach/tls/start-tls.ts';
import type { Steps } from '../../sessions/connection-tests/take-steps.ts';
import { takeWay, type WayTest } from '../../sessions/connection-tests/take-way.ts';
import { askHttp } from './ask-http.ts';
import { appTarget, appTls, type DialledApp } from './dial-app.ts';

const DAY_MS = 86_400_000;
/** Less than this is time to renew it. */
const WARNED_DAYS = 21;

export interface TriedApp extends DialledApp {
  /** Empty where it has none yet. */
  name: string;
  /** Hosts whose redirects are turned into its own. */
  redirect: readonly string[];
}

export async function tryApp(steps: Steps, reach: Pick<Reach, 'way'>, app: TriedApp, test: WayTest): Promise<void> {
  const { address, spec } = app;
  if (address.scheme === 'cloud' || address.kube) return await tellNotTried(steps, app);
  const { stream } = await takeWay(steps, reach, { ...appTarget(app), tls: undefined }, test);
  const within = () => AbortSignal.any([test.signal, AbortSignal.timeout(test.timeoutMs)]);
  let inside: Duplex = stream;
  try {
    if (address.scheme === 'https')
      inside = await steps.take({
        step: 'tls',
        type: 'CONNECTIVITY',
        run: () => startTls(stream, appTls(app), within()),
        tell: (socket) =>
          spec.insecureSkipVerify
            ? 'TLS is there; its certificate is not checked: anybody in between can read and change what passes'
            : `its certificate is good for ${spec.serverName || address.host}, for ${daysLeft(socket) === 1 ? '1 more day' : `${daysLeft(socket)} more days`}`,
        advise: (socket) => {
          if (spec.insecureSkipVerify) return 'give its authority as CA instead';
          return daysLeft(socket) < WARNED_DAYS ? 'renew its certificate' : undefined;
        },
      });
    if (address.scheme === 'tcp') return;
    await steps.take({
      step: 'protocol',
      type: 'CONNECTIVITY',
      run: () => askHttp(inside, address, within()),
      tell: ({ head, takesWebsockets }) =>
        `${tellAnswer(app, head)}${takesWebsockets ? `; websockets are taken at ${address.path}` : ''}`,
      advise: ({ head }) => adviceFor(app, head),
    });
  } finally {
    inside.destroy();
    stream.destroy();
  }
}

/** Whoever opens it goes there by themselves. */
async function tellNotTried(steps: Steps, { address }: TriedApp): Promise<void> {
  await steps.take({
    step: 'reach',
    type: 'CONNECTIVITY',
    run: () => undefined,
    tell: () =>
      address.kube
        ? 'not tried: whoever opens it is led there in their own name'
        : 'not tried: the console of a cloud is opened by the browser',
  });
}

function daysLeft(socket: TLSSocket): number {
  const until = Date.parse(socket.getPeerCertificate().valid_to);
  return Math.floor((until - Date.now()) / DAY_MS);
}

function headerOf({ headers }: ResponseHead, name: string): string | undefined {
  const at = headers.findIndex((text, index) => index % 2 === 0 && text === name);
  return at < 0 ? undefined : headers[at + 1];
}

/** The host that it sends people to, where that is neither its own nor one that is turned into it. */
function strayHost({ address, redirect, spec }: TriedApp, head: ResponseHead): string | undefined {
  const location = head.status >= 300 && head.status < 400 ? headerOf(head, 'location') : undefined;
  if (location === undefined) return undefined;
  const url = URL.parse(location, `${address.scheme}://${dialAddress(address)}${address.path}`);
  const host = url?.hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  if (host === undefined || host === '' || [address.host, spec.serverName, ...redirect].includes(host))
    return undefined;
  return host;
}

function tellAnswer(app: TriedApp, head: ResponseHead): string {
  const stray = strayHost(app, head);
  return `it answers with ${head.status}${stray === undefined ? '' : `, and sends people on to ${shown(stray)}, where they do not get by the gateway`}`;
}

function adviceFor(app: TriedApp, head: ResponseHead): string | undefined {
  const stray = strayHost(app, head);
  // What it says is never put into a line to type unless it can be a name.
  if (stray !== undefined && (isIP(stray) > 0 || /^[a-z0-9.-]+$/.test(stray)))
    return `let its redirects be turned round: gatehouse apps add ${app.name || 'NAME'} ${app.address.scheme}://${dialAddress(app.address)} --redirect ${stray}`;
  return head.status >= 500 ? 'look at the log of the application' : undefined;
}

function shown(host: string): string {
  return host.slice(0, 100);
}
