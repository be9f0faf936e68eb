/** What few applications need: a host name of its own, other certificates, header rules, redirects, the identity header. */
import { JWT_CLAIMS } from '@gatehouse/contract/kinds/app/app-spec';
import { Checkbox } from '@gatehouse/design/checkbox';
import { Notice } from '@gatehouse/design/notice';
import { Select } from '@gatehouse/design/select';
import { TextArea } from '@gatehouse/design/text-area';
import { TextField } from '@gatehouse/design/text-field';
import { TokenInput } from '@gatehouse/design/token-input';
import { useState } from 'react';
import { asSentence } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { schemeOf } from './app-draft.ts';
import styles from './app-form.module.css';
import { HeaderRules } from './header-rules.tsx';
import type { AppFieldsProps } from './use-app-form.ts';

export function AdvancedFields(fields: AppFieldsProps) {
  const t = useTranslate();
  const { draft, onDraft, faults, onLeave } = fields;
  const scheme = schemeOf(draft);
  const isWeb = scheme === 'http' || scheme === 'https' || scheme === undefined;
  const fault = (field: string) => (faults[field] === undefined ? undefined : asSentence(faults[field]));
  // Open from the start where something in it was set, and whenever something in it is wrong.
  const [wasOpen] = useState(() => isAnySet(fields));
  const hasFault = Object.keys(faults).some((field) => !['name', 'uri', 'labels'].includes(field));
  return (
    <details className={styles.more} open={wasOpen || hasFault || undefined}>
      <summary>{t('app-form.more')}</summary>
      <div className={styles.form}>
        <TextField
          label={t('app-form.public-addr')}
          optional
          hint={t('app-form.public-addr-hint')}
          placeholder="grafana.example.com"
          mono
          value={draft.publicAddr}
          error={fault('publicAddr')}
          onValueChange={(publicAddr) => onDraft({ publicAddr })}
          onBlur={() => onLeave('publicAddr')}
        />
        {scheme === 'https' && <TlsFields {...fields} />}
        {isWeb && (
          <>
            <HeaderRules {...fields} />
            <TokenInput
              label={t('app-form.redirect')}
              optional
              hint={t('app-form.redirect-hint')}
              placeholder="grafana.inside"
              value={draft.redirect}
              error={fault('redirect')}
              onValueChange={(redirect) => onDraft({ redirect })}
            />
            <Select
              label={t('app-form.jwt')}
              hint={t('app-form.jwt-hint')}
              value={draft.jwt}
              options={JWT_CLAIMS.map((value) => ({ value, label: t(`app-form.jwt-${value}`) }))}
              onValueChange={(jwt) => onDraft({ jwt })}
            />
          </>
        )}
        {scheme === 'cloud' && (
          <TextField
            label={t('app-form.external-id')}
            optional
            hint={t('app-form.external-id-hint')}
            placeholder={draft.keepsExternalId ? t('app-form.kept') : undefined}
            mono
            value={draft.externalId}
            error={fault('aws')}
            onValueChange={(externalId) => onDraft({ externalId })}
          />
        )}
      </div>
    </details>
  );
}

function TlsFields({ draft, onDraft, faults, onLeave }: AppFieldsProps) {
  const t = useTranslate();
  const fault = (field: string) => (faults[field] === undefined ? undefined : asSentence(faults[field]));
  return (
    <>
      <Checkbox
        label={t('app-form.insecure')}
        hint={t('app-form.insecure-hint')}
        checked={draft.insecureSkipVerify}
        onCheckedChange={(insecureSkipVerify) => onDraft({ insecureSkipVerify })}
      />
      {draft.insecureSkipVerify ? (
        <Notice tone="warn">{t('app-form.insecure-warning')}</Notice>
      ) : (
        <>
          <TextArea
            label={t('app-form.ca')}
            optional
            hint={t('app-form.ca-hint')}
            placeholder="-----BEGIN CERTIFICATE-----"
            mono
            rows={4}
            value={draft.ca}
            error={fault('ca')}
            onValueChange={(ca) => onDraft({ ca })}
            onBlur={() => onLeave('ca')}
          />
          <TextField
            label={t('app-form.server-name')}
            optional
            hint={t('app-form.server-name-hint')}
            mono
            value={draft.serverName}
            error={fault('serverName')}
            onValueChange={(serverName) => onDraft({ serverName })}
            onBlur={() => onLeave('serverName')}
          />
        </>
      )}
    </>
  );
}

function isAnySet({ draft }: AppFieldsProps): boolean {
  const { publicAddr, insecureSkipVerify, ca, serverName, headers, redirect, jwt, externalId } = draft;
  const texts = [publicAddr, ca, serverName, externalId];
  return (
    insecureSkipVerify ||
    texts.some((text) => text !== '') ||
    headers.length > 0 ||
    redirect.length > 0 ||
    jwt !== JWT_CLAIMS[0]
  );
}
