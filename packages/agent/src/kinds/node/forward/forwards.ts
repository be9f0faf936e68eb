/**
 * Connects gateways to where a user of this machine may connect to. It is done by a process of that user, so that what guards a
 * socket guards it here as well; what gives out credentials of a cloud is refused by the very address that would be dialled.
 */
import { lookup } from 'node:dns/promises';
import { isIP, type Socket } from 'node:net';
import { forwardRequest, MAX_SOCKET_PATH_BYTES } from '@gatehouse/contract/reach/agents/targets';
import type { StreamMetadata } from '@gatehouse/contract/reach/tunnel/streams';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import type { OfferedStream } from '@gatehouse/tunnel/agent-session';
import { whyForbidden } from '@gatehouse/tunnel/dial/forbidden-addresses';
import { messageOf, StreamRefused } from '@gatehouse/tunnel/tunnel-error';
import { readMetadata } from '../../../reach/metadata.ts';
import { joinStreams } from '../../../reach/tcp/dial.ts';
import type { Person } from '../../../runtime/children/environment.ts';
import type { WithoutDescriptors } from '../../../runtime/children/without-descriptors.ts';
import type { AgentLog } from '../../../runtime/log.ts';
import { checkLogin, LoginRefused, type LoginRules } from '../login/check-login.ts';
import { type LoginMethod, tryLogin } from '../login/start-as.ts';
import type { DialRequest } from './dial-messages.ts';
import { type DialerProcess, startDialer } from './dialer-process.ts';

const MAX_FORWARDS = 2_000;
/** Each is a process of some 50 MB. */
const MAX_DIALERS = 32;
const MAX_ADDRESSES = 3;
const RESOLVE_MS = 10_000;
/** One that nobody uses any more waits so long for the next who does. */
const IDLE_MS = 60_000;

type Lookup = (host: string) => Promise<string[]>;

export interface ForwardsDeps {
  rules: LoginRules;
  /** False: its file turns them off. */
  mayForward: boolean;
  way: LoginMethod | undefined;
  closer: WithoutDescriptors | undefined;
  language: string;
  log: AgentLog;
  resolve?: Lookup;
  idleMs?: number;
}

export interface Forwards {
  /** Throws LoginRefused or StreamRefused. */
  serve(offered: OfferedStream, metadata: StreamMetadata, signal: AbortSignal): Promise<void>;
  /** How many processes there are. */
  readonly dialers: number;
  close(): void;
}

interface KeptDialer {
  process: Promise<DialerProcess>;
  uses: number;
  timer: NodeJS.Timeout | undefined;
}

export function createForwards(deps: ForwardsDeps): Forwards {
  const { rules, mayForward, log, resolve = lookUp, idleMs = IDLE_MS } = deps;
  const dialers = new Map<string, KeptDialer>();
  let open = 0;

  const start = async (person: Person): Promise<DialerProcess> => {
    if (!deps.closer)
      throw new LoginRefused('this machine has no bash, which the agent needs to start programs safely');
    const no = await tryLogin(deps.way, person);
    if (no !== undefined) throw new LoginRefused(no);
    return await startDialer({ person, closer: deps.closer, language: deps.language }).catch((error: unknown) => {
      throw new StreamRefused('failed', `nothing can be connected to as '${person.name}': ${messageOf(error)}`);
    });
  };

  const dialerOf = (person: Person): KeptDialer => {
    const known = dialers.get(person.name);
    if (known) return known;
    if (dialers.size >= MAX_DIALERS)
      throw new StreamRefused('busy', `this agent connects for ${MAX_DIALERS} users; it takes no more`);
    const kept: KeptDialer = { process: start(person), uses: 0, timer: undefined };
    const forget = () => {
      clearTimeout(kept.timer);
      if (dialers.get(person.name) === kept) dialers.delete(person.name);
    };
    kept.process.then((started) => started.ended.then(forget), forget);
    dialers.set(person.name, kept);
    return kept;
  };

  const connect = async (person: Person, to: DialRequest['to'], signal: AbortSignal): Promise<Socket> => {
    const kept = dialerOf(person);
    clearTimeout(kept.timer);
    kept.uses += 1;
    try {
      return await (await kept.process).dial(to, signal);
    } finally {
      kept.uses -= 1;
      if (kept.uses === 0) kept.timer = setTimeout(() => void kept.process.then((idle) => idle.end()), idleMs).unref();
    }
  };

  return {
    get dialers() {
      return dialers.size;
    },
    async serve(offered, metadata, signal) {
      const request = readMetadata(forwardRequest, metadata);
      const { login, session, user } = request;
      if (!mayForward)
        throw new StreamRefused('not_allowed', `this agent forwards nothing: 'forward: false' in ${rules.where}`);
      // A longer one would be cut, and what is left of it is another's.
      if ('path' in request && Buffer.byteLength(request.path) > MAX_SOCKET_PATH_BYTES)
        throw new StreamRefused('bad_request', `the path of a socket has at most ${MAX_SOCKET_PATH_BYTES} bytes`);
      const person = await checkLogin(login, rules);
      if (open >= MAX_FORWARDS)
        throw new StreamRefused('busy', `this agent forwards ${MAX_FORWARDS} connections; it takes no more`);
      open += 1;
      try {
        const name = 'path' in request ? request.path : `${request.host}:${request.port}`;
        const to = 'path' in request ? request : await addressesOf(request, resolve, signal);
        const socket = await connect(person, to, signal).catch((error: unknown) => {
          if (error instanceof StreamRefused || error instanceof LoginRefused) throw error;
          throw new StreamRefused(
            'unreachable',
            `${name} cannot be reached as '${login}': ${inWords(messageOf(error))}`,
          );
        });
        log.info({ sessionId: session, username: user, login, to: name }, 'a connection is forwarded');
        await joinStreams(offered.accept(), socket);
      } finally {
        open -= 1;
      }
    },
    close() {
      for (const { process: started, timer } of dialers.values()) {
        clearTimeout(timer);
        started.then(
          (dialer) => dialer.end(),
          () => {},
        );
      }
      dialers.clear();
    },
  };
}

/** Looked up once: an answer that differs a moment later changes nothing. */
async function addressesOf(
  { host, port }: { host: string; port: number },
  resolve: Lookup,
  signal: AbortSignal,
): Promise<{ addresses: string[]; port: number }> {
  const found = isIP(host) === 0 ? await within(resolve(host), signal).catch((error) => notFound(host, error)) : [host];
  const addresses = found.filter((address) => whyForbidden(address) === undefined).slice(0, MAX_ADDRESSES);
  if (addresses.length > 0) return { addresses, port };
  const [address = ''] = found;
  const why = whyForbidden(address) ?? 'is unknown';
  throw new StreamRefused('not_allowed', `this agent does not connect to ${host}: ${address} ${why}`);
}

async function lookUp(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

function within<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const forget = whenAborted(AbortSignal.any([signal, AbortSignal.timeout(RESOLVE_MS)]), () =>
    reject(new Error('ETIMEDOUT')),
  );
  return Promise.race([work, promise]).finally(forget);
}

function notFound(host: string, error: unknown): never {
  const code = error instanceof Error && 'code' in error ? String(error.code) : messageOf(error);
  throw new StreamRefused('unreachable', `the name '${host}' cannot be resolved: ${inWords(code)}`);
}

function inWords(code: string): string {
  const known: Record<string, string> = {
    ECONNREFUSED: 'nothing listens there',
    EACCES: 'the login may not connect there',
    EPERM: 'the login may not connect there',
    ENOENT: 'there is no such socket',
    ENOTSOCK: 'that is no socket',
    EHOSTUNREACH: 'there is no way to that host',
    ENETUNREACH: 'there is no way to that network',
    ENOTFOUND: 'there is no such name',
    EAI_AGAIN: 'the name service does not answer',
    ETIMEDOUT: 'no answer',
  };
  return known[code] ?? code;
}
