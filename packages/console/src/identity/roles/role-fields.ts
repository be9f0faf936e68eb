/** The fields of a role that the form shows, section by section. Everything else stands only in the text. */
import type { WordId } from '../../platform/i18n/words.ts';

export type FieldPath = readonly [string, string, ...string[]];

export type FormField = { path: FieldPath; label: WordId } & (
  | { type: 'labels' }
  | { type: 'names' }
  | { type: 'length' }
  /** On unless the document says otherwise, or off. */
  | { type: 'switch'; standard: boolean }
  | { type: 'choice'; options: readonly { value: string; label: WordId }[] }
);

export interface FormSection {
  id: string;
  title: WordId;
  fields: readonly FormField[];
  /** Of a kind that the gateway does not reach yet: the role may name it, and gives nothing by it. */
  isToCome?: boolean;
}

/** The role as the form reads and changes it. */
export interface FormDocument {
  value: unknown;
  /** Undefined for a role that was never saved: then nothing counts as changed. */
  saved: unknown;
  isReadOnly: boolean;
  /** `undefined` takes a field out. */
  set: (path: readonly (string | number)[], value: unknown) => void;
}

const labels = (side: 'allow' | 'deny', name: string, label: WordId): FormField => ({
  type: 'labels',
  path: ['spec', side, name],
  label,
});
const names = (side: 'allow' | 'deny', name: string, label: WordId): FormField => ({
  type: 'names',
  path: ['spec', side, name],
  label,
});
const option = (...names: [string, ...string[]]): FieldPath => ['spec', 'options', ...names];

export const FORM_SECTIONS: readonly FormSection[] = [
  {
    id: 'nodes',
    title: 'roles.section-nodes',
    fields: [labels('allow', 'node_labels', 'roles.node-labels'), names('allow', 'logins', 'roles.logins')],
  },
  {
    id: 'databases',
    title: 'roles.section-databases',
    isToCome: true,
    fields: [
      labels('allow', 'db_labels', 'roles.db-labels'),
      names('allow', 'db_users', 'roles.db-users'),
      names('allow', 'db_names', 'roles.db-names'),
    ],
  },
  {
    id: 'apps',
    title: 'roles.section-apps',
    fields: [labels('allow', 'app_labels', 'roles.app-labels'), names('allow', 'aws_role_arns', 'roles.aws-role-arns')],
  },
  {
    id: 'kubernetes',
    title: 'roles.section-kubernetes',
    isToCome: true,
    fields: [
      labels('allow', 'kubernetes_labels', 'roles.kubernetes-labels'),
      names('allow', 'kubernetes_users', 'roles.kubernetes-users'),
      names('allow', 'kubernetes_groups', 'roles.kubernetes-groups'),
    ],
  },
  {
    id: 'desktops',
    title: 'roles.section-desktops',
    isToCome: true,
    fields: [
      labels('allow', 'windows_desktop_labels', 'roles.desktop-labels'),
      names('allow', 'windows_desktop_logins', 'roles.desktop-logins'),
      { type: 'switch', path: option('desktop_clipboard'), label: 'roles.clipboard', standard: true },
      { type: 'switch', path: option('desktop_directory_sharing'), label: 'roles.directories', standard: true },
    ],
  },
  {
    id: 'never',
    title: 'roles.section-never',
    fields: [labels('deny', 'node_labels', 'roles.never-labels'), names('deny', 'logins', 'roles.never-logins')],
  },
];

export const SESSION_FIELDS: readonly FormField[] = [
  { type: 'length', path: option('max_session_ttl'), label: 'roles.max-session' },
  { type: 'length', path: option('client_idle_timeout'), label: 'roles.idle' },
  { type: 'length', path: option('disconnect_grace'), label: 'roles.grace' },
  {
    type: 'choice',
    path: option('record_session', 'default'),
    label: 'roles.recording',
    options: [
      { value: 'strict', label: 'roles.recording-strict' },
      { value: 'best_effort', label: 'roles.recording-best' },
      { value: 'off', label: 'roles.recording-off' },
    ],
  },
  { type: 'switch', path: option('record_session', 'input'), label: 'roles.recording-input', standard: false },
  { type: 'switch', path: option('require_session_mfa'), label: 'roles.mfa', standard: false },
  { type: 'switch', path: option('pin_source_ip'), label: 'roles.pin', standard: false },
  { type: 'switch', path: option('ssh_file_copy'), label: 'roles.file-copy', standard: true },
  { type: 'switch', path: option('port_forwarding'), label: 'roles.port-forwarding', standard: true },
];

const SHOWN: ReadonlySet<string> = new Set([
  'kind',
  'version',
  'metadata.name',
  'metadata.description',
  'spec.allow.rules',
  ...[...FORM_SECTIONS.flatMap(({ fields }) => fields), ...SESSION_FIELDS].map(({ path }) =>
    path.slice(0, 3).join('.'),
  ),
]);

/** Fields, as `changedFields` names them, that only the text shows. */
export function isOnlyInText(field: string): boolean {
  return !SHOWN.has(field);
}
