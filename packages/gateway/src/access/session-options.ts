/** How the sessions of a user run: of what their roles say, always the strictest. */
import type { RequirePolicy } from '@gatehouse/contract/access/roles/role-conditions';
import type { RoleOptions } from '@gatehouse/contract/access/roles/role-options';
import { type Kind, rows } from '@gatehouse/contract/kinds/kinds';
import type { Access } from './bind-access.ts';

export interface SessionOptions {
  /** Undefined: no limit of a role; the sign-in's own holds. */
  maxSessionMs: number | undefined;
  idleTimeoutMs: number | undefined;
  /** How long it waits for somebody whose network is lost. */
  graceMs: number | undefined;
  disconnectExpired: boolean;
  requireMfa: boolean;
  /** By kind: one that has a mode of its own is held to it, the others to the default. */
  recording: Readonly<Record<Kind, RecordingMode>>;
  /** What is typed is recorded as well. */
  recordInput: boolean;
  recordDesktop: boolean;
  /** Beginnings of what databases answer. */
  recordResults: boolean;
  /** Every request to an application is an event. */
  appRequests: boolean;
  clipboard: boolean;
  directorySharing: boolean;
  portForwarding: boolean;
  remoteForwarding: boolean;
  forwardAgent: boolean;
  x11Forwarding: boolean;
  fileCopy: boolean;
  dbExport: boolean;
  pinSourceIp: boolean;
  /** Of sessions with databases. */
  dbReadOnly: boolean;
  /** What writes there waits for somebody's approval. */
  dbApproval: boolean;
  lockMode: 'strict' | 'best_effort';
  maxConnections: number | undefined;
  maxSessions: number | undefined;
  maxKubeConnections: number | undefined;
}

/** A session that cannot be recorded ends, or goes on unrecorded; or none is made. */
export type RecordingMode = 'strict' | 'best_effort' | 'off';

export function sessionOptions({ roles }: Pick<Access, 'roles'>): SessionOptions {
  const options = roles.map(({ role }) => role.options);
  const least = (read: (option: RoleOptions) => number | undefined) => {
    const limits = options.map(read).filter((limit) => limit !== undefined && limit > 0) as number[];
    return limits.length === 0 ? undefined : Math.min(...limits);
  };
  const any = (read: (option: RoleOptions) => unknown) => options.some(read);
  const never = (read: (option: RoleOptions) => boolean | undefined) =>
    !options.some((option) => read(option) === false);
  /** Off until a role says it, and wherever one turns it off. */
  const granted = (read: (option: RoleOptions) => boolean | undefined) => any(read) && never(read);
  const mode = (read: (option: RoleOptions) => RecordingMode | undefined): RecordingMode => {
    if (any((option) => read(option) === 'strict')) return 'strict';
    return options.length > 0 && options.every((option) => read(option) === 'off') ? 'off' : 'best_effort';
  };
  return {
    maxSessionMs: least(({ max_session_ttl }) => max_session_ttl),
    idleTimeoutMs: least(({ client_idle_timeout }) => client_idle_timeout),
    graceMs: least(({ disconnect_grace }) => disconnect_grace),
    disconnectExpired: any(({ disconnect_expired_cert }) => disconnect_expired_cert),
    requireMfa: any(({ require_session_mfa }) => require_session_mfa),
    recording: Object.fromEntries(
      rows.map(({ kind, recordingOption: own }) => [
        kind,
        mode(({ record_session }) => (own && record_session?.[own]) ?? record_session?.default),
      ]),
    ) as Record<Kind, RecordingMode>,
    recordInput: any(({ record_session }) => record_session?.input),
    // Left out means recorded, so one role that leaves it out is enough.
    recordDesktop: options.length === 0 || any(({ record_session }) => record_session?.desktop !== false),
    recordResults: any(({ record_session }) => record_session?.db_results === 'sample'),
    appRequests: any(({ record_session }) => record_session?.app === true),
    clipboard: never(({ desktop_clipboard }) => desktop_clipboard),
    directorySharing: never(({ desktop_directory_sharing }) => desktop_directory_sharing),
    portForwarding: never(({ port_forwarding }) => port_forwarding),
    remoteForwarding: granted(({ remote_forwarding }) => remote_forwarding),
    forwardAgent: granted(({ forward_agent }) => forward_agent),
    x11Forwarding: granted(({ permit_x11_forwarding }) => permit_x11_forwarding),
    dbExport: never(({ db_export }) => db_export),
    fileCopy: never(({ ssh_file_copy }) => ssh_file_copy),
    pinSourceIp: any(({ pin_source_ip }) => pin_source_ip),
    dbReadOnly: any(({ db_read_only }) => db_read_only),
    dbApproval: any(({ db_approval }) => db_approval),
    lockMode: any(({ lock }) => lock === 'strict') ? 'strict' : 'best_effort',
    maxConnections: least(({ max_connections }) => max_connections),
    maxSessions: least(({ max_sessions }) => max_sessions),
    maxKubeConnections: least(({ max_kubernetes_connections }) => max_kubernetes_connections),
  };
}

export interface AccessStrategy {
  type: 'optional' | 'always' | 'reason';
  prompt: string;
}

export function accessStrategy({ roles }: Pick<Access, 'roles'>): AccessStrategy {
  const options = roles.map(({ role }) => role.options);
  const reasoned = options.find(({ request_access }) => request_access === 'reason');
  if (reasoned) return { type: 'reason', prompt: reasoned.request_prompt ?? '' };
  return {
    type: options.some(({ request_access }) => request_access === 'always') ? 'always' : 'optional',
    prompt: '',
  };
}

/** Who must be in a session of this kind before it may go on, by role. */
export function requiredJoins(
  { roles }: Pick<Access, 'roles'>,
  kind: string,
): { role: string; policy: RequirePolicy }[] {
  return roles.flatMap(({ name, role }) =>
    role.requiredJoins
      .filter(({ kinds }) => kinds.some((known) => known === kind || known === '*'))
      .map((policy) => ({ role: name, policy })),
  );
}
