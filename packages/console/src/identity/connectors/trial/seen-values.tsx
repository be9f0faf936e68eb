/** Values somebody really has and no entry looks for: one press makes an entry of one. */
import type { ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import type { ConnectorTest } from '@gatehouse/contract/identity/connectors/connector-tests';
import { LabelChip } from '@gatehouse/design/label-chip';
import { TextField } from '@gatehouse/design/text-field';
import { useState } from 'react';
import { useTranslate } from '../../../platform/i18n/words.ts';
import type { Draft } from '../../../shared/document-editor/use-draft.ts';
import { type Entry, entriesIn, entryFor, isUsedBy } from '../mapping.ts';
import styles from './trial.module.css';

interface SeenValuesProps {
  kind: ConnectorKind;
  said: ConnectorTest;
  draft: Draft;
  onAdd: (entry: Entry) => void;
}

/** They are of one person alone, or of the answer itself, and say nothing about what somebody may do. */
const NO_GROUPS =
  /^(?:sub|iss|aud|azp|exp|iat|nbf|jti|sid|nonce|at_hash|c_hash|auth_time|acr|amr|ver|uti|rh|oid|tid|email|email_verified|name|given_name|family_name|middle_name|nickname|preferred_username|login|id|profile|picture|website|locale|zoneinfo|updated_at|phone_number|phone_number_verified|birthdate|gender)$/i;
const SHOWN = 24;
const SEARCHED_FROM = 12;

export function SeenValues({ kind, said, draft, onAdd }: SeenValuesProps) {
  const t = useTranslate();
  const [search, setSearch] = useState('');
  const entries = entriesIn(kind, draft.value);
  const unused = Object.entries(said.claims)
    .filter(([claim]) => (kind === 'github' ? claim === 'teams' : !NO_GROUPS.test(claim)))
    .flatMap(([claim, values]) => values.map((value) => ({ claim, value })))
    .filter(({ claim, value }) => value !== '' && !entries.some((entry) => isUsedBy(kind, entry, claim, value)));
  const shown = unused.filter(({ value }) => value.toLowerCase().includes(search.trim().toLowerCase()));
  if (unused.length === 0) return null;
  const hasSeveral = new Set(unused.map(({ claim }) => claim)).size > 1;
  return (
    <section className={styles.seen} aria-label={t('connectors.seen')}>
      <p className={styles.muted}>{t('connectors.seen')}</p>
      {unused.length >= SEARCHED_FROM && (
        <TextField
          type="search"
          label={t('connectors.seen-search')}
          labelHidden
          placeholder={t('connectors.seen-search')}
          autoComplete="off"
          value={search}
          onValueChange={setSearch}
        />
      )}
      <div className={styles.chips}>
        {shown.slice(0, SHOWN).map(({ claim, value }) => (
          <LabelChip
            key={`${claim}\n${value}`}
            {...(hasSeveral ? { name: claim } : {})}
            value={value}
            onClick={() => onAdd(entryFor(kind, claim, value))}
          />
        ))}
        {shown.length > SHOWN && (
          <span className={styles.faint}>{t('connectors.seen-more', { count: shown.length - SHOWN })}</span>
        )}
      </div>
    </section>
  );
}
