/** Which of two people's options holds them tighter, option by option. */
import { kinds } from '@gatehouse/contract/kinds/kinds';
import type { BoundRole } from './bind-access.ts';
import { accessStrategy, type RecordingMode, type SessionOptions, sessionOptions } from './session-options.ts';

/** Whether the first is at least as strict as the second. */
type AsStrict<Option> = (given: Option, held: Option) => boolean;

const limit: AsStrict<number | undefined> = (given, held) =>
  held === undefined || (given !== undefined && given <= held);
const demand: AsStrict<boolean> = (given, held) => given || !held;
const permission: AsStrict<boolean> = (given, held) => !given || held;

const RECORDING: Record<RecordingMode, number> = { off: 0, best_effort: 1, strict: 2 };
const STRATEGY = { optional: 0, always: 1, reason: 2 } as const;

/** Options of sessions count only for those who can open one; a new option does not compile until it stands here. */
const AS_STRICT: {
  [Name in keyof SessionOptions]: { path: string; always?: true; asStrict: AsStrict<SessionOptions[Name]> };
} = {
  maxSessionMs: { path: 'max_session_ttl', asStrict: limit },
  idleTimeoutMs: { path: 'client_idle_timeout', asStrict: limit },
  graceMs: { path: 'disconnect_grace', asStrict: limit },
  disconnectExpired: { path: 'disconnect_expired_cert', asStrict: demand },
  requireMfa: { path: 'require_session_mfa', asStrict: demand },
  recording: {
    path: 'record_session',
    asStrict: (given, held) => kinds.every((kind) => RECORDING[given[kind]] >= RECORDING[held[kind]]),
  },
  recordInput: { path: 'record_session.input', asStrict: demand },
  recordDesktop: { path: 'record_session.desktop', asStrict: demand },
  recordResults: { path: 'record_session.db_results', asStrict: demand },
  appRequests: { path: 'record_session.app', asStrict: demand },
  clipboard: { path: 'desktop_clipboard', asStrict: permission },
  directorySharing: { path: 'desktop_directory_sharing', asStrict: permission },
  portForwarding: { path: 'port_forwarding', asStrict: permission },
  remoteForwarding: { path: 'remote_forwarding', asStrict: permission },
  forwardAgent: { path: 'forward_agent', asStrict: permission },
  x11Forwarding: { path: 'permit_x11_forwarding', asStrict: permission },
  dbExport: { path: 'db_export', asStrict: permission },
  fileCopy: { path: 'ssh_file_copy', asStrict: permission },
  pinSourceIp: { path: 'pin_source_ip', always: true, asStrict: demand },
  dbReadOnly: { path: 'db_read_only', asStrict: demand },
  dbApproval: { path: 'db_approval', asStrict: demand },
  lockMode: {
    path: 'lock',
    always: true,
    asStrict: (given, held) => given === 'strict' || held !== 'strict',
  },
  maxConnections: { path: 'max_connections', asStrict: limit },
  maxSessions: { path: 'max_sessions', asStrict: limit },
  maxKubeConnections: { path: 'max_kubernetes_connections', asStrict: limit },
};

interface HeldRoles {
  roles: readonly BoundRole[];
}

/** The option, as role documents call it, by which the first would be held looser than the second. */
export function looserOption(given: HeldRoles, held: HeldRoles, { opensSessions }: { opensSessions: boolean }) {
  const [theirs, own] = [sessionOptions(given), sessionOptions(held)];
  for (const name of Object.keys(AS_STRICT) as (keyof SessionOptions)[]) {
    const { always, path } = AS_STRICT[name];
    if ((always || opensSessions) && !isAsStrict(name, theirs, own)) return `spec.options.${path}`;
  }
  if (STRATEGY[accessStrategy(given).type] < STRATEGY[accessStrategy(held).type]) return 'spec.options.request_access';
  return undefined;
}

function isAsStrict<Name extends keyof SessionOptions>(
  name: Name,
  given: SessionOptions,
  held: SessionOptions,
): boolean {
  return AS_STRICT[name].asStrict(given[name], held[name]);
}
