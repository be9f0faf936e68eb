/** The kinds of fields the form of a connector is made of. Each reads its value from the document and gives back another. */
import type { ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import { Select } from '@gatehouse/design/select';
import { Switch } from '@gatehouse/design/switch';
import { TextArea } from '@gatehouse/design/text-area';
import { TextField } from '@gatehouse/design/text-field';
import { TokenInput } from '@gatehouse/design/token-input';
import { useState } from 'react';
import { type Translate, useTranslate } from '../../../platform/i18n/words.ts';
import { Changeable } from '../../../shared/document-editor/document-form.tsx';
import { type Problem, textsAt, valueAt } from '../../../shared/document-editor/read-document.ts';
import { isElsewhere } from '../draft/secret-problem.ts';
import type { ConnectorDraft } from '../draft/use-connector-draft.ts';
import { PRESET, type PresetName } from '../presets.ts';
import { type ConnectorField, type FieldName, UNHINTED } from './connector-fields.ts';
import styles from './connector-form.module.css';
import { problemAt } from './problem-at.ts';

export interface FormState {
  kind: ConnectorKind;
  preset: PresetName;
  draft: ConnectorDraft;
  problems: readonly Problem[];
  /** The gateway keeps one. */
  hasSecret: boolean;
  isReadOnly: boolean;
  /** Somebody has gone on from here before: nothing can be told of too early. */
  isPassed: boolean;
}

interface FieldProps {
  field: ConnectorField;
  form: FormState;
}

export function FieldOf({ field, form }: FieldProps) {
  const { value, savedValue } = form.draft;
  const path = ['spec', field.name];
  const [wasLeft, setLeft] = useState(false);
  // Of a new one, nobody is told off for what they have not come to yet.
  const isMet = wasLeft || form.isPassed || savedValue !== undefined || !isEmpty(valueAt(value, path));
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what is left is the field inside
    <div onBlur={() => setLeft(true)}>
      <Changeable value={value} saved={savedValue} path={path}>
        <Content field={field} form={isMet ? form : { ...form, problems: [] }} />
      </Changeable>
    </div>
  );
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}

function Content({ field, form }: FieldProps) {
  const t = useTranslate();
  const { draft, problems, isReadOnly: disabled } = form;
  const { name } = field;
  const path = ['spec', name];
  const label = t(`connectors.field-${name}`);
  const hint = isHinted(name) ? t(`connectors.hint-${name}`) : undefined;
  const [text = ''] = textsAt(draft.value, path);
  const error = problemAt(problems, path.join('.'));
  const set = (next: unknown) => draft.setField(path, next);
  switch (field.type) {
    case 'text':
      return (
        <TextField
          {...{ label, hint, error, disabled }}
          mono={field.mono === true}
          autoComplete="off"
          spellCheck={false}
          placeholder={name === 'issuer_url' ? PRESET[form.preset].issuerLike : undefined}
          value={text}
          // What must be there stays as an empty place; the rest goes.
          onValueChange={(next) => set(next === '' && !isNeeded(form.kind, name) ? undefined : next)}
        />
      );
    case 'long':
      return (
        <TextArea
          {...{ label, hint, error, disabled }}
          mono
          rows={5}
          value={text}
          onValueChange={(next) => set(next || undefined)}
        />
      );
    case 'secret':
      return <SecretField form={form} path={path} label={label} error={error} />;
    case 'names':
      return (
        <TokenInput
          {...{ label, hint, error, disabled }}
          value={textsAt(draft.value, path)}
          onValueChange={(next) => set(next.length === 0 ? undefined : next)}
        />
      );
    case 'switch': {
      const found = valueAt(draft.value, path);
      return (
        <div className={styles.switch}>
          <Switch
            label={label}
            checked={found === undefined ? field.standard : found === true}
            disabled={disabled}
            onCheckedChange={(isOn) => set(isOn === field.standard ? undefined : isOn)}
          />
          {hint && <p className={styles.hint}>{hint}</p>}
        </div>
      );
    }
    case 'choice': {
      const [standard = ''] = field.options;
      return (
        <Select
          {...{ label, hint, error, disabled }}
          value={text || (name === 'icon' ? 'generic' : standard)}
          onValueChange={(next) => set(next === standard && name !== 'icon' ? undefined : next)}
          options={field.options.map((value) => ({ value, label: choiceWord(t, field, value) }))}
        />
      );
    }
    case 'length':
      return (
        <Select
          {...{ label, hint, error, disabled }}
          value={text || field.standard}
          onValueChange={(next) => set(next === field.standard ? undefined : next)}
          // A length that is written another way stays among the choices.
          options={[...new Set([...field.options, text || field.standard])].map((value) => ({
            value,
            label: lengthWords(t, value),
          }))}
        />
      );
    default:
      return field satisfies never;
  }
}

interface SecretFieldProps {
  form: FormState;
  path: readonly string[];
  label: string;
  error: string | undefined;
}

/** One that is kept is never shown again. */
function SecretField({ form: { kind, draft, hasSecret, isReadOnly }, path, label, error }: SecretFieldProps) {
  const t = useTranslate();
  const typed = draft.secretAt(path);
  const isKept = hasSecret && !isElsewhere(kind, draft);
  return (
    <TextField
      label={label}
      type="password"
      mono
      autoComplete="new-password"
      disabled={isReadOnly}
      placeholder={isKept ? t('connectors.secret-kept') : undefined}
      hint={isKept ? t('connectors.secret-kept-hint') : t('connectors.hint-client_secret')}
      error={error}
      value={typed}
      onValueChange={(next) => draft.setField(path, next || undefined)}
    />
  );
}

type Hinted = Exclude<FieldName, (typeof UNHINTED)[number]>;

function isHinted(name: FieldName): name is Hinted {
  return !UNHINTED.some((each) => each === name);
}

const NEEDED: Readonly<Record<ConnectorKind, readonly string[]>> = {
  github: ['client_id'],
  oidc: ['client_id', 'issuer_url'],
  saml: [],
};

function isNeeded(kind: ConnectorKind, name: string): boolean {
  return NEEDED[kind].includes(name);
}

function choiceWord(t: Translate, { name }: ConnectorField, value: string): string {
  if (name === 'mfa') return t(value === 'gateway' ? 'connectors.mfa-gateway' : 'connectors.mfa-provider');
  return t(`connectors.icon-${value}` as 'connectors.icon-generic');
}

function lengthWords(t: Translate, length: string): string {
  const [, amount = '', unit = ''] = /^(\d+)([mhd])$/.exec(length) ?? [];
  const count = Number(amount);
  if (unit === 'm') return t('connectors.minutes', { count });
  if (unit === 'h') return t('connectors.hours', { count });
  return unit === 'd' ? t('connectors.days', { count }) : length;
}
