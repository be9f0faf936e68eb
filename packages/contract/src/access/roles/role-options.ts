/** The `options` of a role document: how sessions run, apart from what they reach. */
import { z } from 'zod';
import { count, duration, text, toggle } from './role-values.ts';

/** A session that cannot be recorded ends, or goes on; `off` counts only where every role of a user says it. */
/** `off` is a truth value in documents that were written for older YAML. */
const madeUsers = z.preprocess(
  (value) => (value === false || value === '' ? 'off' : value),
  z.enum(['off', 'keep', 'best_effort_drop']),
);

const recordingMode = z.enum(['strict', 'best_effort', 'off']);

export const roleOptions = z.strictObject({
  max_session_ttl: duration.optional(),
  client_idle_timeout: duration.optional(),
  /** Ours: how long a session waits for somebody whose network or browser is lost. */
  disconnect_grace: duration.optional(),
  disconnect_expired_cert: toggle.optional(),
  record_session: z
    .strictObject({
      default: recordingMode.optional(),
      ssh: recordingMode.optional(),
      /** Ours: of sessions with databases. */
      db: recordingMode.optional(),
      /** Ours: whether the beginnings of results are kept beside the statements. */
      db_results: z.enum(['none', 'sample']).optional(),
      desktop: toggle.optional(),
      /** What is typed is recorded too, as far as the terminal shows it. */
      input: toggle.optional(),
      /** Ours: an event for every request to an application. */
      app: toggle.optional(),
    })
    .optional(),
  require_session_mfa: z
    .union([toggle, z.enum(['session', 'hardware_key', 'hardware_key_touch'])], {
      error: 'must be true, false, session, hardware_key or hardware_key_touch',
    })
    .optional(),
  lock: z.enum(['strict', 'best_effort']).optional(),
  desktop_clipboard: toggle.optional(),
  desktop_directory_sharing: toggle.optional(),
  port_forwarding: toggle.optional(),
  ssh_file_copy: toggle.optional(),
  /** Ours: whether results of databases may be taken away as files. */
  db_export: toggle.optional(),
  /** Ours: whether a server may listen for what a program of theirs answers. Off until a role says it, as the two behind it. */
  remote_forwarding: toggle.optional(),
  forward_agent: toggle.optional(),
  permit_x11_forwarding: toggle.optional(),
  pin_source_ip: toggle.optional(),
  /** Ours: sessions with databases only read. */
  db_read_only: toggle.optional(),
  /** Ours: what writes in a database waits for somebody's approval, at the workbench; other ways to databases are closed. */
  db_approval: toggle.optional(),
  max_connections: count.optional(),
  max_sessions: count.optional(),
  max_kubernetes_connections: count.optional(),
  request_access: z.enum(['optional', 'always', 'reason']).optional(),
  request_prompt: z.string().max(1024).optional(),
  cert_format: z.enum(['standard', 'oldssh']).optional(),
  enhanced_recording: z.array(z.enum(['command', 'disk', 'network'])).optional(),
  create_host_user: toggle.optional(),
  /** Whether the database user of a person's own name is made when they connect, and what becomes of it when they leave. */
  create_db_user_mode: madeUsers.optional(),
  /** As older documents say `keep`; what the other one says goes before it. */
  create_db_user: toggle.optional(),
  device_trust_mode: z.enum(['', 'off', 'optional', 'required']).optional(),
  idp: z.strictObject({ saml: z.strictObject({ enabled: toggle.optional() }).optional() }).optional(),
  cert_extensions: z
    .array(
      z.strictObject({ name: text, type: z.literal('ssh'), mode: z.literal('extension'), value: z.string().max(1024) }),
    )
    .max(100)
    .optional(),
});
export type RoleOptions = z.output<typeof roleOptions>;
