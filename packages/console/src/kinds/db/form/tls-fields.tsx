/** How the connection to a database is encrypted, and what its certificate is held against. */
import { DB_TLS_MODES } from '@gatehouse/contract/kinds/db/db-spec';
import { Notice } from '@gatehouse/design/notice';
import { Select } from '@gatehouse/design/select';
import { TextArea } from '@gatehouse/design/text-area';
import { TextField } from '@gatehouse/design/text-field';
import { useState } from 'react';
import { asSentence } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import styles from './db-form.module.css';
import type { DbFieldsProps } from './use-db-form.ts';

export function TlsFields({ draft, onDraft, faults, onLeave }: DbFieldsProps) {
  const t = useTranslate();
  const { tlsMode } = draft;
  const fault = (field: string) => (faults[field] === undefined ? undefined : asSentence(faults[field]));
  const isChecked = tlsMode === 'verify-full' || tlsMode === 'verify-ca';
  const [wasSet] = useState(draft.ca !== '' || draft.serverName !== '');
  const hasFault = faults['tls.ca'] !== undefined || faults['tls.serverName'] !== undefined;
  return (
    <>
      <Select
        label={t('db-form.tls')}
        hint={t(`db-form.tls-${tlsMode}-hint`)}
        value={tlsMode}
        error={fault('tls.mode')}
        options={DB_TLS_MODES.map((value) => ({ value, label: t(`db-form.tls-${value}`) }))}
        onValueChange={(mode) => onDraft({ tlsMode: mode })}
      />
      {tlsMode === 'insecure' && <Notice tone="warn">{t('db-form.insecure-warning')}</Notice>}
      {tlsMode === 'off' && <Notice tone="warn">{t('db-form.off-warning')}</Notice>}
      {isChecked && (
        <details className={styles.more} open={wasSet || hasFault || undefined}>
          <summary>{t('db-form.certificate')}</summary>
          <div className={styles.form}>
            <TextArea
              label={t('db-form.ca')}
              optional
              hint={t('db-form.ca-hint')}
              placeholder="-----BEGIN CERTIFICATE-----"
              mono
              rows={4}
              value={draft.ca}
              error={fault('tls.ca')}
              onValueChange={(ca) => onDraft({ ca })}
              onBlur={() => onLeave('tls.ca')}
            />
            {tlsMode === 'verify-full' && (
              <TextField
                label={t('db-form.server-name')}
                optional
                hint={t('db-form.server-name-hint')}
                mono
                value={draft.serverName}
                error={fault('tls.serverName')}
                onValueChange={(serverName) => onDraft({ serverName })}
                onBlur={() => onLeave('tls.serverName')}
              />
            )}
          </div>
        </details>
      )}
    </>
  );
}
