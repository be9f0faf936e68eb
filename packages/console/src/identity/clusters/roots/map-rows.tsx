/** The role map, a line for each entry: a role of the root, or many by a pattern, and the roles it gives here. */
import type { RoleMapEntry } from '@gatehouse/contract/reach/trusted-clusters/trusted-cluster-document';
import { Button } from '@gatehouse/design/button';
import { Icon } from '@gatehouse/design/icon';
import { IconButton } from '@gatehouse/design/icon-button';
import { LabelChip } from '@gatehouse/design/label-chip';
import { TextField } from '@gatehouse/design/text-field';
import { TokenInput } from '@gatehouse/design/token-input';
import ArrowRight from 'lucide-react/icons/arrow-right';
import Plus from 'lucide-react/icons/plus';
import Trash2 from 'lucide-react/icons/trash-2';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import Undo2 from 'lucide-react/icons/undo-2';
import { useRef } from 'react';
import { asSentence } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useRoles } from '../../../shared/access-questions/access-queries.ts';
import { goneEntries, isNewOrChanged } from './map-entries.ts';
import styles from './trust.module.css';

interface MapRowsProps {
  /** What the root is called in the heads. */
  root: string;
  entries: readonly RoleMapEntry[];
  saved: readonly RoleMapEntry[];
  isReadOnly: boolean;
  /** By their places. */
  wrong: ReadonlyMap<number, string>;
  warnings: readonly string[];
  onChange: (place: number, change: Partial<RoleMapEntry>) => void;
  onAdd: (entry: RoleMapEntry) => void;
  onRemove: (place: number) => void;
}

const EMPTY: RoleMapEntry = { remote: '', local: [] };

export function MapRows({
  root,
  entries,
  saved,
  isReadOnly,
  wrong,
  warnings,
  onChange,
  onAdd,
  onRemove,
}: MapRowsProps) {
  const t = useTranslate();
  const rows = useRef<HTMLDivElement>(null);
  const add = () => {
    onAdd(EMPTY);
    requestAnimationFrame(() => [...(rows.current?.querySelectorAll('input') ?? [])].at(-2)?.focus());
  };
  return (
    <>
      <div ref={rows} className={styles.map}>
        {(entries.length > 0 || saved.length > 0) && (
          <div className={styles.mapHead} aria-hidden="true">
            <span>{t('trust.role-there', { root })}</span>
            <span />
            <span>{t('trust.roles-here')}</span>
          </div>
        )}
        {entries.map((entry, place) => (
          <MapRow
            // biome-ignore lint/suspicious/noArrayIndexKey: an entry is its place; a key of its text would change under the hand
            key={place}
            place={place}
            entry={entry}
            isChanged={isNewOrChanged(entry, saved)}
            isReadOnly={isReadOnly}
            wrong={wrong.get(place)}
            warnings={warnings.filter((warning) => warning.startsWith(`'${entry.remote}'`))}
            onChange={(next) => onChange(place, next)}
            onRemove={() => onRemove(place)}
          />
        ))}
        {goneEntries(entries, saved).map((entry) => (
          <GoneRow key={entry.remote} entry={entry} onBack={() => onAdd(entry)} />
        ))}
      </div>
      {entries.length === 0 && <p className={styles.faint}>{t('trust.map-empty', { root })}</p>}
      {!isReadOnly && (
        <div className={styles.addEntry}>
          <Button tone="ghost" size="small" icon={Plus} onClick={add}>
            {t('trust.add-entry')}
          </Button>
        </div>
      )}
    </>
  );
}

interface MapRowProps {
  place: number;
  entry: RoleMapEntry;
  isChanged: boolean;
  isReadOnly: boolean;
  wrong: string | undefined;
  warnings: readonly string[];
  onChange: (change: Partial<RoleMapEntry>) => void;
  onRemove: () => void;
}

const MAX_OFFERED = 6;

function MapRow({ place, entry, isChanged, isReadOnly, wrong, warnings, onChange, onRemove }: MapRowProps) {
  const t = useTranslate();
  const roles = useRoles().data ?? [];
  const number = place + 1;
  return (
    <div className={styles.mapRow} data-changed={isChanged || undefined}>
      <TextField
        label={t('trust.entry-remote', { entry: number })}
        labelHidden
        className={styles.bare}
        mono
        disabled={isReadOnly}
        placeholder={t('trust.remote-like')}
        value={entry.remote}
        onValueChange={(remote) => onChange({ remote })}
      />
      <span className={styles.arrow}>
        <Icon of={ArrowRight} label={t('trust.gives')} />
      </span>
      <TokenInput
        label={t('trust.entry-local', { entry: number })}
        labelHidden
        className={styles.bare}
        disabled={isReadOnly}
        placeholder={entry.local.length === 0 ? t('trust.local-like') : ''}
        value={entry.local}
        onValueChange={(local) => onChange({ local })}
        after={
          !isReadOnly &&
          entry.local.length === 0 &&
          roles.length > 0 && (
            <div className={styles.offered}>
              {roles.slice(0, MAX_OFFERED).map(({ name }) => (
                <Button key={name} tone="ghost" size="small" icon={Plus} onClick={() => onChange({ local: [name] })}>
                  {name}
                </Button>
              ))}
            </div>
          )
        }
      />
      {isReadOnly ? (
        <span />
      ) : (
        <IconButton icon={Trash2} label={t('trust.drop-entry', { entry: number })} onClick={onRemove} />
      )}
      {wrong !== undefined && (
        <p role="alert" className={styles.rowNote} data-tone="bad">
          <Icon of={TriangleAlert} size={14} />
          <span>{asSentence(wrong)}</span>
        </p>
      )}
      {warnings.map((warning) => (
        <p key={warning} className={styles.rowNote} data-tone="warn">
          <Icon of={TriangleAlert} size={14} />
          <span>{asSentence(warning)}</span>
        </p>
      ))}
    </div>
  );
}

function GoneRow({ entry, onBack }: { entry: RoleMapEntry; onBack: () => void }) {
  const t = useTranslate();
  return (
    <div className={styles.mapRow} data-changed="" data-gone="">
      <s className={styles.goneRole}>{entry.remote}</s>
      <span className={styles.arrow}>
        <Icon of={ArrowRight} label={t('trust.gave')} />
      </span>
      <s className={styles.goneRoles}>
        {entry.local.map((role) => (
          <LabelChip key={role} value={role} />
        ))}
      </s>
      <IconButton icon={Undo2} label={t('trust.put-back', { role: entry.remote })} onClick={onBack} />
    </div>
  );
}
