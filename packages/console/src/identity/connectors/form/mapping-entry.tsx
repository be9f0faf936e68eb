/** One entry of a mapping: a sentence, and opened, the fields it is made of. */
import type { ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import type { ConnectorTest } from '@gatehouse/contract/identity/connectors/connector-tests';
import { Button } from '@gatehouse/design/button';
import { Icon } from '@gatehouse/design/icon';
import { IconButton } from '@gatehouse/design/icon-button';
import { LabelChip } from '@gatehouse/design/label-chip';
import { TextField } from '@gatehouse/design/text-field';
import { TokenInput } from '@gatehouse/design/token-input';
import ArrowRight from 'lucide-react/icons/arrow-right';
import Pencil from 'lucide-react/icons/pencil';
import Plus from 'lucide-react/icons/plus';
import Trash2 from 'lucide-react/icons/trash-2';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useRoles } from '../../../shared/access-questions/access-queries.ts';
import type { Problem } from '../../../shared/document-editor/read-document.ts';
import { comparisonOf, type Entry, MAPPINGS } from '../mapping.ts';
import { PRESET, type PresetName } from '../presets.ts';
import styles from './connector-form.module.css';
import { problemAt } from './problem-at.ts';

/** What a test found for an entry. */
export interface Finding {
  fits: boolean;
  roles: ConnectorTest['roles'];
}

interface MappingEntryProps {
  kind: ConnectorKind;
  preset: PresetName;
  entry: Entry;
  place: number;
  isOpen: boolean;
  /** Somebody opened it: one that stands open from the start leaves the keyboard where it is. */
  takesFocus: boolean;
  isReadOnly: boolean;
  /** A mapping without entries is none. */
  isOnly: boolean;
  /** By its fields; of the whole entry where the field is empty. */
  problems: readonly Problem[];
  finding: Finding | undefined;
  onOpen: (isOpen: boolean) => void;
  onChange: (name: string, value: unknown) => void;
  onRemove: () => void;
}

export function MappingEntry(props: MappingEntryProps) {
  const t = useTranslate();
  const { kind, entry, place, isOpen, isReadOnly, isOnly, problems, finding, onOpen, onRemove } = props;
  const number = place + 1;
  // Opened, each field says what is wrong with it.
  const problem = problems.find(({ path = '' }) => !isOpen || !isFieldOf(kind, path));
  return (
    <li className={styles.entry} data-unfit={finding?.fits === false || undefined}>
      <span className={styles.place} data-fits={finding?.fits || undefined}>
        {number}
      </span>
      <div className={styles.entryBody}>
        {isOpen ? <EntryFields {...props} /> : <EntrySentence kind={kind} entry={entry} finding={finding} />}
        {problem && (
          <p className={styles.problem}>{problem.path ? `${problem.path}: ${problem.message}` : problem.message}</p>
        )}
      </div>
      {!isReadOnly && (
        <span className={styles.entryActions}>
          {isOpen ? (
            <Button size="small" onClick={() => onOpen(false)}>
              {t('connectors.entry-done')}
            </Button>
          ) : (
            <IconButton
              icon={Pencil}
              size="small"
              label={t('connectors.edit-entry', { entry: number })}
              onClick={() => onOpen(true)}
            />
          )}
          <IconButton
            icon={Trash2}
            size="small"
            label={t('connectors.drop-entry', { entry: number })}
            disabled={isOnly}
            {...(isOnly ? { disabledReason: t('connectors.only-entry') } : {})}
            onClick={onRemove}
          />
        </span>
      )}
    </li>
  );
}

function EntrySentence({ kind, entry, finding }: Pick<MappingEntryProps, 'kind' | 'entry' | 'finding'>) {
  const t = useTranslate();
  const missing = finding?.roles.filter(({ exists }) => !exists).map(({ role }) => role) ?? [];
  return (
    <>
      <p className={styles.sentence}>
        {entry.value === '' ? (
          <span className={styles.finding}>{t('connectors.entry-unwritten')}</span>
        ) : kind === 'github' ? (
          <code>
            {entry.from}/{entry.value}
          </code>
        ) : (
          <>
            <code>{entry.from}</code> <span>{t(`connectors.entry-${comparisonOf(kind, entry.value)}`)}</span>{' '}
            <code>{entry.value}</code>
          </>
        )}
      </p>
      <p className={styles.gives}>
        <Icon of={ArrowRight} size={14} label={t('connectors.gives')} />
        {entry.roles.length === 0 ? (
          <span className={styles.problem}>{t('connectors.no-roles-yet')}</span>
        ) : (
          entry.roles.map((role) => <LabelChip key={role} value={role} />)
        )}
      </p>
      {finding && !finding.fits && <p className={styles.finding}>{t('connectors.nothing-fits')}</p>}
      {finding?.fits && entry.roles.some((role) => role.includes('$')) && finding.roles.length > 0 && (
        <p className={styles.finding}>
          {t('connectors.gives-these', { roles: finding.roles.map(({ role }) => role).join(', ') })}
        </p>
      )}
      {missing.length > 0 && (
        <p className={styles.problem}>{t('connectors.missing-roles', { roles: missing.join(', ') })}</p>
      )}
    </>
  );
}

const MAX_OFFERED = 8;

function isFieldOf(kind: ConnectorKind, path: string): boolean {
  const { from, value } = MAPPINGS[kind];
  return [from, value, 'roles'].some((field) => path === field || path.startsWith(`${field}[`));
}

function EntryFields({ kind, preset, entry, place, takesFocus, problems, onChange }: MappingEntryProps) {
  const t = useTranslate();
  const sample = PRESET[preset].entry;
  const names = MAPPINGS[kind];
  const roles = useRoles().data ?? [];
  const offered = roles.map(({ name }) => name).filter((name) => !entry.roles.includes(name));
  return (
    <div className={styles.entryFields}>
      <TextField
        label={t(`connectors.entry-from-${kind}`)}
        error={problemAt(problems, names.from)}
        mono
        placeholder={sample.fromLike ?? sample.from}
        value={entry.from}
        onValueChange={(next) => onChange(names.from, next)}
      />
      <TextField
        label={t(`connectors.entry-value-${kind}`)}
        error={problemAt(problems, names.value)}
        hint={t(names.exact ? 'connectors.entry-value-exact' : 'connectors.entry-value-hint')}
        mono
        autoFocus={takesFocus && entry.value === ''}
        placeholder={sample.valueLike}
        value={entry.value}
        onValueChange={(next) => onChange(names.value, next)}
      />
      <div className={styles.entryRoles}>
        <TokenInput
          label={t('connectors.entry-roles', { entry: place + 1 })}
          error={problemAt(problems, 'roles')}
          value={entry.roles}
          onValueChange={(next) => onChange('roles', next)}
          after={
            offered.length > 0 && (
              <div className={styles.offered}>
                {offered.slice(0, MAX_OFFERED).map((role) => (
                  <Button
                    key={role}
                    tone="ghost"
                    size="small"
                    icon={Plus}
                    onClick={() => onChange('roles', [...entry.roles, role])}
                  >
                    {role}
                  </Button>
                ))}
              </div>
            )
          }
        />
      </div>
    </div>
  );
}
