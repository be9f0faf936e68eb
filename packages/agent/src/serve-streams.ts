/** Serves what a gateway asks for, by target. Whatever is refused is told to the gateway and to the operator. */
import { KUBE_CREDENTIAL_TARGET } from '@gatehouse/contract/reach/agents/kube-credential';
import { REPORT_TARGET } from '@gatehouse/contract/reach/agents/report';
import {
  EXEC_TARGET,
  FILES_TARGET,
  FORWARD_TARGET,
  KEYS_TARGET,
  LOGIN_ANSWER_BYTES,
  LOGIN_TARGET,
  loginAnswer,
  loginRequest,
  SHELL_TARGET,
  TCP_PREFIX,
  whose,
} from '@gatehouse/contract/reach/agents/targets';
import type { StreamMetadata } from '@gatehouse/contract/reach/tunnel/streams';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import type { OfferedStream, OnStream, StreamRequest } from '@gatehouse/tunnel/agent-session';
import { writeMessage } from '@gatehouse/tunnel/messages';
import { StreamRefused } from '@gatehouse/tunnel/tunnel-error';
import { type GiveCredentialDeps, giveCredential } from './kinds/kube/give-credential.ts';
import type { Commands } from './kinds/node/commands/commands.ts';
import type { Files } from './kinds/node/files/serve-files.ts';
import type { Forwards } from './kinds/node/forward/forwards.ts';
import type { KeySockets } from './kinds/node/keys/key-sockets.ts';
import { checkLogin, LoginRefused } from './kinds/node/login/check-login.ts';
import { launchShell, tryLogin } from './kinds/node/login/start-as.ts';
import type { Shells, ShellsDeps } from './kinds/node/shells/shells.ts';
import { readMetadata } from './reach/metadata.ts';
import { type DialRules, dialAllowed, joinStreams } from './reach/tcp/dial.ts';
import { type Offers, serveReport } from './report/serve-report.ts';
import type { AgentLog } from './runtime/log.ts';

export interface ServeDeps extends ShellsDeps, GiveCredentialDeps {
  dialRules: DialRules;
  offers: Offers;
  shells: Shells;
  commands: Commands;
  files: Files;
  forwards: Forwards;
  keys: KeySockets;
  /** Aborted when the agent leaves. */
  signal: AbortSignal;
  log: AgentLog;
}

export function serveStreams(deps: ServeDeps): OnStream {
  return async (offered, request) => {
    const { target, metadata } = request;
    try {
      await serve(offered, request, deps);
    } catch (error) {
      const refusal = error instanceof LoginRefused ? new StreamRefused('not_allowed', error.message) : error;
      const { session, user } = whose.partial().catch({}).parse(metadata);
      const reason = errorMessage(refusal);
      deps.log.warn({ target, sessionId: session, username: user, reason }, 'a stream was refused');
      throw refusal;
    }
  };
}

function serve(offered: OfferedStream, { target, metadata, signal }: StreamRequest, deps: ServeDeps): Promise<void> {
  if (target === REPORT_TARGET) {
    return serveReport({ stream: offered.accept(), offers: deps.offers, log: deps.log, signal: deps.signal });
  }
  if (target === SHELL_TARGET) return deps.shells.serve(offered, metadata);
  if (target === EXEC_TARGET) return deps.commands.serve(offered, metadata);
  if (target === FILES_TARGET) return deps.files.serve(offered, metadata, signal);
  if (target === FORWARD_TARGET) return deps.forwards.serve(offered, metadata, signal);
  if (target === KEYS_TARGET) return deps.keys.serve(offered, metadata);
  if (target === LOGIN_TARGET) return answerLogin(offered, metadata, deps);
  if (target === KUBE_CREDENTIAL_TARGET) return giveCredential(offered, metadata, deps, signal);
  if (target.startsWith(TCP_PREFIX)) return serveTcp(offered, target.slice(TCP_PREFIX.length), signal, deps);
  throw new StreamRefused('not_found', `this agent knows no target '${target}'`);
}

async function serveTcp(offered: OfferedStream, target: string, signal: AbortSignal, deps: ServeDeps): Promise<void> {
  const socket = await dialAllowed(target, deps.dialRules, signal);
  const stream = offered.accept();
  await joinStreams(stream, socket);
}

/** Everything short of opening a terminal. */
async function answerLogin(offered: OfferedStream, metadata: StreamMetadata, deps: ServeDeps): Promise<void> {
  const { login, session } = readMetadata(loginRequest, metadata);
  const answer = await whyNot(login, session, deps);
  const stream = offered.accept();
  stream.on('error', () => {});
  stream.resume();
  const reason = (answer ?? '').slice(0, Math.min(500, LOGIN_ANSWER_BYTES));
  await writeMessage(stream, loginAnswer.parse({ ok: answer === undefined, reason }));
  stream.end();
}

async function whyNot(login: string, session: string, deps: ServeDeps): Promise<string | undefined> {
  try {
    const person = await checkLogin(login, deps.rules);
    launchShell(deps.way, deps.closer, { person, session, term: 'xterm', language: deps.language });
    return await tryLogin(deps.way, person);
  } catch (error) {
    if (error instanceof LoginRefused) return error.message;
    throw error;
  }
}
