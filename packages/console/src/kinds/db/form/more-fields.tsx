/** What few databases need: a description, names to choose from, limits, what is told of statements. */
import { Checkbox } from '@gatehouse/design/checkbox';
import { TextArea } from '@gatehouse/design/text-area';
import { TextField } from '@gatehouse/design/text-field';
import { TokenInput } from '@gatehouse/design/token-input';
import { useState } from 'react';
import { asSentence } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { type DbDraft, EMPTY_DRAFT } from './db-draft.ts';
import styles from './db-form.module.css';
import type { DbFieldsProps } from './use-db-form.ts';

const HERE = [
  'users',
  'names',
  'adminUser.name',
  'adminUser.database',
  'limits.statementTimeoutMs',
  'limits.webRows',
  'limits.initSql',
];
const SET_HERE = [
  'description',
  'users',
  'names',
  'adminUser',
  'adminDatabase',
  'readOnly',
  'hidesValues',
  'statementTimeout',
  'webRows',
  'initSql',
] as const satisfies readonly (keyof DbDraft)[];

export function MoreFields({ draft, onDraft, faults, onLeave }: DbFieldsProps) {
  const t = useTranslate();
  const fault = (field: string) => (faults[field] === undefined ? undefined : asSentence(faults[field]));
  // Open from the start where something in it was set, and whenever something in it is wrong.
  const [wasSet] = useState(() => SET_HERE.some((field) => String(draft[field]) !== String(EMPTY_DRAFT[field])));
  const hasFault = HERE.some((field) => faults[field] !== undefined);
  const makesUsers = draft.protocol === 'postgres' || draft.protocol === 'mysql';
  const speaksSql = draft.protocol !== 'redis' && draft.protocol !== 'mongodb';
  return (
    <details className={styles.more} open={wasSet || hasFault || undefined}>
      <summary>{t('db-form.more')}</summary>
      <div className={styles.form}>
        <TextField
          label={t('databases.description')}
          optional
          maxLength={500}
          autoComplete="off"
          value={draft.description}
          onValueChange={(description) => onDraft({ description })}
        />
        <TokenInput
          label={t('db-form.users')}
          optional
          hint={t('db-form.users-hint')}
          value={draft.users}
          error={fault('users')}
          onValueChange={(users) => onDraft({ users })}
        />
        <TokenInput
          label={t('db-form.names')}
          optional
          hint={t('db-form.names-hint')}
          value={draft.names}
          error={fault('names')}
          onValueChange={(names) => onDraft({ names })}
        />
        {(makesUsers || draft.adminUser !== '') && (
          <div className={styles.halves}>
            <TextField
              label={t('db-form.admin-user')}
              optional
              hint={t('db-form.admin-user-hint')}
              autoComplete="off"
              value={draft.adminUser}
              error={fault('adminUser.name')}
              onValueChange={(adminUser) => onDraft({ adminUser })}
              onBlur={() => onLeave('adminUser.name')}
            />
            {(draft.protocol === 'postgres' || draft.adminDatabase !== '') && (
              <TextField
                label={t('db-form.admin-database')}
                optional
                hint={t('db-form.admin-database-hint')}
                autoComplete="off"
                value={draft.adminDatabase}
                error={fault('adminUser.database')}
                onValueChange={(adminDatabase) => onDraft({ adminDatabase })}
                onBlur={() => onLeave('adminUser.database')}
              />
            )}
          </div>
        )}
        <Checkbox
          label={t('db-form.read-only')}
          hint={t('db-form.read-only-hint')}
          checked={draft.readOnly}
          onCheckedChange={(readOnly) => onDraft({ readOnly })}
        />
        <Checkbox
          label={t('db-form.hides-values')}
          hint={t('db-form.hides-values-hint')}
          checked={draft.hidesValues}
          onCheckedChange={(hidesValues) => onDraft({ hidesValues })}
        />
        <div className={styles.halves}>
          <TextField
            label={t('db-form.statement-timeout')}
            optional
            hint={t('db-form.statement-timeout-hint')}
            inputMode="decimal"
            value={draft.statementTimeout}
            error={faults['limits.statementTimeoutMs'] && t('db-form.statement-timeout-wrong')}
            onValueChange={(statementTimeout) => onDraft({ statementTimeout })}
            onBlur={() => onLeave('limits.statementTimeoutMs')}
          />
          <TextField
            label={t('db-form.web-rows')}
            hint={t('db-form.web-rows-hint')}
            inputMode="numeric"
            value={draft.webRows}
            error={faults['limits.webRows'] && t('db-form.web-rows-wrong')}
            onValueChange={(webRows) => onDraft({ webRows })}
            onBlur={() => onLeave('limits.webRows')}
          />
        </div>
        {speaksSql && (
          <TextArea
            label={t('db-form.init-sql')}
            optional
            hint={t('db-form.init-sql-hint')}
            mono
            rows={3}
            value={draft.initSql}
            error={fault('limits.initSql')}
            onValueChange={(initSql) => onDraft({ initSql })}
            onBlur={() => onLeave('limits.initSql')}
          />
        )}
      </div>
    </details>
  );
}
