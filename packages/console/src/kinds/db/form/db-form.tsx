/** What everybody says of a database: the protocol, where it is, its name, which of its databases, how the gateway signs in; and the rest folded away. */
import { DB_PROTOCOL_TITLES, DB_PROTOCOLS, type DbProtocol } from '@gatehouse/contract/kinds/db/db-address';
import { Select } from '@gatehouse/design/select';
import { TextField } from '@gatehouse/design/text-field';
import type { ReactNode } from 'react';
import { asSentence } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { LabelField } from '../../../shared/enrolment/label-field.tsx';
import { ThroughField } from '../../../shared/way-there/through-field.tsx';
import { guessName, protocolOf } from './db-draft.ts';
import styles from './db-form.module.css';
import { MoreFields } from './more-fields.tsx';
import { SignInFields } from './sign-in-fields.tsx';
import { TlsFields } from './tls-fields.tsx';
import type { DbFieldsProps } from './use-db-form.ts';

interface DbFormProps extends DbFieldsProps {
  /** One that exists keeps its name and its protocol. */
  isNew: boolean;
  /** Said already, and not asked again unless an address says another. */
  chosen?: DbProtocol;
  /** Between what everybody needs and the rest. */
  children?: ReactNode;
}

export function DbForm({ isNew, chosen, children, ...fields }: DbFormProps) {
  const t = useTranslate();
  const { draft, onDraft, faults, onLeave } = fields;
  const fault = (field: string) => (faults[field] === undefined ? undefined : asSentence(faults[field]));
  const asksProtocol = draft.protocol !== chosen;
  return (
    <div className={styles.form}>
      <div className={asksProtocol ? styles.pair : undefined}>
        <TextField
          label={t('db-form.uri')}
          hint={t('db-form.uri-hint')}
          placeholder={t(`db-form.uri-${draft.protocol}`)}
          mono
          required
          autoFocus={isNew}
          value={draft.uri}
          error={fault('uri')}
          onValueChange={(uri) => {
            const said = isNew ? protocolOf(uri) : undefined;
            onDraft(said === undefined ? { uri } : { uri, protocol: said });
          }}
          onBlur={() => {
            if (isNew && draft.name === '') onDraft({ name: guessName(draft) });
            onLeave('uri');
          }}
        />
        {asksProtocol && (
          <Select
            label={t('db-form.protocol')}
            disabled={!isNew}
            value={draft.protocol}
            options={DB_PROTOCOLS.map((value) => ({ value, label: DB_PROTOCOL_TITLES[value] }))}
            onValueChange={(protocol) => onDraft({ protocol })}
          />
        )}
      </div>
      <div className={styles.halves}>
        <TextField
          label={t('databases.name')}
          hint={isNew ? t('db-form.name-hint') : t('db-form.name-fixed')}
          mono
          required
          disabled={!isNew}
          value={draft.name}
          error={fault('name')}
          onValueChange={(name) => onDraft({ name })}
          onBlur={() => onLeave('name')}
        />
        <TextField
          label={t('db-form.database')}
          optional
          hint={t('db-form.database-hint')}
          mono
          value={draft.database}
          error={fault('database')}
          onValueChange={(database) => onDraft({ database })}
          onBlur={() => onLeave('database')}
        />
      </div>
      <SignInFields isNew={isNew} {...fields} />
      <TlsFields {...fields} />
      <ThroughField through={draft.through} onThrough={(through) => onDraft({ through })} />
      {children}
      <LabelField
        hint={t('db-form.labels-hint')}
        pairs={draft.labels}
        wrong={faults.labels}
        onPairs={(labels) => onDraft({ labels })}
      />
      <MoreFields {...fields} />
    </div>
  );
}
