/** Calls a gateway over the network with the user's own credential. */

import { isLoopbackHost } from '@gatehouse/contract/std/loopback-host';
import { VERSION } from '@gatehouse/contract/std/version';
import type { Open, Send } from '@gatehouse/contract/wire/client';
import type { Io } from '../command.ts';
import { Failure } from '../runtime/failure.ts';
import { readProfile } from './profile.ts';

const TIMEOUT_MS = 30_000;

export interface RemoteGateway {
  origin: string;
  user: string | undefined;
  send: Send;
  open: Open;
}

/** Scheme, host and port of what was typed. A credential never travels unencrypted beyond this machine. */
export function parseOrigin(typed: string): string {
  const guess = /^[a-z]+:\/\//i.test(typed) ? typed : `https://${typed}`;
  const url = URL.parse(guess);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw new Failure('usage', `'${typed}' is not the address of a gateway: write it like https://gate.example.com`);
  }
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) {
    throw new Failure('usage', `'${url.origin}' is not encrypted: use https`);
  }
  return url.origin;
}

/** The gateway that is named, or the one signed in to last. `GATEHOUSE_TOKEN` with `GATEHOUSE_ADDRESS` is for scripts. */
export function remoteGateway(io: Io, named: string | undefined): RemoteGateway {
  const profile = readProfile(io);
  const address = named ?? io.env.GATEHOUSE_ADDRESS ?? profile.current;
  if (!address) throw new Failure('denied', 'not signed in: run gatehouse login <address>');
  const origin = parseOrigin(address);
  const token = credentialOf(io, origin);
  const user = tokenForScripts(io, origin) ? undefined : profile.gateways[origin]?.user;
  return { origin, user, send: remoteSend(origin, token), open: remoteOpen(origin, token) };
}

/** What this command line shows a gateway; read from the file each time. */
export function credentialOf(io: Io, origin: string): string {
  const token = tokenForScripts(io, origin) ?? readProfile(io).gateways[origin]?.token;
  if (!token) throw new Failure('denied', `not signed in to ${origin}: run gatehouse login ${origin}`);
  return token;
}

/** One that was given with the address of a gateway is shown to no other. */
function tokenForScripts({ env }: Io, origin: string): string | undefined {
  const { GATEHOUSE_TOKEN: token, GATEHOUSE_ADDRESS: address } = env;
  return token && (!address || parseOrigin(address) === origin) ? token : undefined;
}

/** `timeoutMs`: of calls that the gateway holds. */
export function remoteSend(origin: string, token?: string, timeoutMs = TIMEOUT_MS): Send {
  return async ({ method, url, body }) => {
    const headers: Record<string, string> = {
      accept: 'application/json',
      'user-agent': `gatehouse/${VERSION} ${process.platform}`,
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    try {
      const response = await fetch(`${origin}${url}`, {
        method,
        headers,
        // A gateway does not redirect its API; following one would hand the credential to whoever it names.
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
        ...(body === undefined ? {} : { body }),
      });
      return { status: response.status, text: await response.text() };
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
      throw new Failure('unreachable', `no gateway answers at ${origin}: ${cause}`);
    }
  };
}

function remoteOpen(origin: string, token: string): Open {
  return async (url) => {
    const answered = new AbortController();
    const timer = setTimeout(() => answered.abort(), TIMEOUT_MS);
    try {
      const headers = { authorization: `Bearer ${token}`, 'user-agent': `gatehouse/${VERSION} ${process.platform}` };
      const response = await fetch(`${origin}${url}`, { headers, redirect: 'error', signal: answered.signal });
      return { status: response.status, bytes: response.body ?? new Blob().stream() };
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
      throw new Failure('unreachable', `no gateway answers at ${origin}: ${cause}`);
    } finally {
      clearTimeout(timer);
    }
  };
}
