/** The fields of a role that the form shows, section by section. Everything else stands only in the text. */
import type { KindFacts } from '@gatehouse/contract/kinds/kind';
import type { WordId } from '../../platform/i18n/words.ts';
import type { ConsoleKind, ConsoleKinds } from '../../shared/kinds/console-kind.ts';
import { isPlanned, kindRows } from '../../shared/kinds/kinds-context.tsx';

export type FieldPath = readonly [string, string, ...string[]];

export type FormField = { path: FieldPath; label: WordId } & (
  | { type: 'labels' }
  | { type: 'names'; hint?: WordId | undefined }
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

const option = (...names: [string, ...string[]]): FieldPath => ['spec', 'options', ...names];

/** One section for each kind, then what a role never gives. */
export function formSections(table: ConsoleKinds): FormSection[] {
  const rows = kindRows(table);
  const never = rows.flatMap(({ facts, row: { role } }) => (role.never ? fieldsOf('deny', facts, role.never) : []));
  return [
    ...rows.map(({ kind, facts, row }) => ({
      id: kind,
      title: row.role.title,
      isToCome: isPlanned(row),
      fields: [...fieldsOf('allow', facts, row.role), ...optionsOf(row)],
    })),
    { id: 'never', title: 'roles.section-never', fields: never },
  ];
}

type RoleWords = NonNullable<ConsoleKind['role']['never']>;

function fieldsOf(side: 'allow' | 'deny', { labels, principals }: KindFacts, words: RoleWords): FormField[] {
  const named = new Map<string, WordId | null>(Object.entries(words.names));
  const hinted = new Map(Object.entries(words.hints ?? {}));
  const names = principals.flatMap(({ field }): FormField[] => {
    const label = named.get(field);
    return label ? [{ type: 'names', path: ['spec', side, field], label, hint: hinted.get(field) }] : [];
  });
  return [{ type: 'labels', path: ['spec', side, labels], label: words.labels }, ...names];
}

function optionsOf({ role: { switches = [], choices = [] } }: ConsoleKind): FormField[] {
  const chosen = choices.map(
    ({ option: name, ...words }): FormField => ({ type: 'choice', path: option(name), ...words }),
  );
  const switched = switches.map(
    ({ option: name, label, standard }): FormField => ({
      type: 'switch',
      path: option(name),
      label,
      standard,
    }),
  );
  return [...chosen, ...switched];
}

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
  { type: 'switch', path: option('remote_forwarding'), label: 'roles.remote-forwarding', standard: false },
  { type: 'switch', path: option('forward_agent'), label: 'roles.forward-agent', standard: false },
  { type: 'switch', path: option('permit_x11_forwarding'), label: 'roles.x11', standard: false },
];

const ALWAYS_SHOWN = ['kind', 'version', 'metadata.name', 'metadata.description', 'spec.allow.rules'];

/** Tells of a field, as `changedFields` names it, whether only the text shows it. */
export function onlyInText(sections: readonly FormSection[]): (field: string) => boolean {
  const fields = [...sections.flatMap((section) => section.fields), ...SESSION_FIELDS];
  const shown = new Set([...ALWAYS_SHOWN, ...fields.map(({ path }) => path.slice(0, 3).join('.'))]);
  return (field) => !shown.has(field);
}
