/** Everything that can be said about an application: what everybody needs first, the rest folded away. */
import { Select } from '@gatehouse/design/select';
import { TextField } from '@gatehouse/design/text-field';
import type { ReactNode } from 'react';
import { asSentence } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { LabelField } from '../../../shared/enrolment/label-field.tsx';
import { ThroughField } from '../../../shared/way-there/through-field.tsx';
import { pictureNames } from '../pictures.ts';
import { AdvancedFields } from './advanced-fields.tsx';
import { guessName, schemeOf } from './app-draft.ts';
import styles from './app-form.module.css';
import type { AppFieldsProps } from './use-app-form.ts';

interface AppFormProps extends AppFieldsProps {
  /** One that exists keeps its name. */
  isNew: boolean;
  /** Between what everybody needs and the rest. */
  children?: ReactNode;
}

export function AppForm({ isNew, children, ...fields }: AppFormProps) {
  const t = useTranslate();
  const { draft, onDraft, faults, onLeave } = fields;
  const fault = (field: string) => (faults[field] === undefined ? undefined : asSentence(faults[field]));
  return (
    <div className={styles.form}>
      <TextField
        label={t('app-form.uri')}
        hint={t('app-form.uri-hint')}
        placeholder="http://grafana.inside:3000"
        mono
        required
        autoFocus={isNew}
        value={draft.uri}
        error={fault('uri')}
        onValueChange={(uri) => onDraft({ uri })}
        onBlur={() => {
          if (isNew && draft.name === '') onDraft({ name: guessName(draft) });
          onLeave('uri');
        }}
      />
      <div className={styles.pair}>
        <TextField
          label={t('apps.name')}
          hint={isNew ? t('app-form.name-hint') : t('app-form.name-fixed')}
          mono
          required
          disabled={!isNew}
          value={draft.name}
          error={fault('name')}
          onValueChange={(name) => onDraft({ name })}
          onBlur={() => onLeave('name')}
        />
        <Select
          label={t('app-form.icon')}
          value={draft.icon || 'automatic'}
          options={[
            { value: 'automatic', label: t('app-form.icon-automatic') },
            ...pictureNames.map((name) => ({ value: name, label: t(`app-form.icon-${name}`) })),
          ]}
          onValueChange={(icon) => onDraft({ icon: icon === 'automatic' ? '' : icon })}
        />
      </div>
      <TextField
        label={t('apps.description')}
        optional
        maxLength={500}
        autoComplete="off"
        value={draft.description}
        onValueChange={(description) => onDraft({ description })}
      />
      <LabelField
        hint={t('app-form.labels-hint')}
        pairs={draft.labels}
        wrong={faults.labels}
        onPairs={(labels) => onDraft({ labels })}
      />
      {schemeOf(draft) !== 'cloud' && (
        <ThroughField through={draft.through} onThrough={(through) => onDraft({ through })} />
      )}
      {children}
      <AdvancedFields {...fields} />
    </div>
  );
}
