/** The entries that give roles, each as a sentence that can be changed; after a test with what it found. */
import type { ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import type { ConnectorTest } from '@gatehouse/contract/identity/connectors/connector-tests';
import { Button } from '@gatehouse/design/button';
import Plus from 'lucide-react/icons/plus';
import { type ReactNode, useState } from 'react';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { AddingRow } from '../../../shared/document-editor/document-form.tsx';
import type { Problem } from '../../../shared/document-editor/read-document.ts';
import type { Draft } from '../../../shared/document-editor/use-draft.ts';
import { type Entry, entriesIn, isFound, MAPPINGS, placeOf, writtenEntry } from '../mapping.ts';
import type { PresetName } from '../presets.ts';
import styles from './connector-form.module.css';
import { type Finding, MappingEntry } from './mapping-entry.tsx';

export interface Heard {
  claims: ConnectorTest['claims'];
  /** What the gateway said each entry gave, where it was asked about this very text. */
  given: ConnectorTest['roles'] | undefined;
  unmatched: readonly (number | undefined)[] | undefined;
}

interface MappingListProps {
  kind: ConnectorKind;
  preset: PresetName;
  draft: Draft;
  problems: readonly Problem[];
  isReadOnly: boolean;
  /** Somebody has gone on from here before. */
  isPassed?: boolean;
  /** A first entry that was not written yet asks to be. */
  startsOpen?: boolean;
  heard?: Heard;
  /** Under the entries, with a way to add one. */
  after?: (add: (entry: Entry) => void) => ReactNode;
}

export function MappingList(props: MappingListProps) {
  const { kind, preset, draft, problems, isReadOnly, isPassed = false, startsOpen = false, heard, after } = props;
  const t = useTranslate();
  const { list } = MAPPINGS[kind];
  const entries = entriesIn(kind, draft.value);
  const [open, setOpen] = useState(startsOpen && entries[0]?.value === '' ? 0 : undefined);
  // An entry without a value is being written until it was closed once.
  const [wereOpen, setWereOpen] = useState<ReadonlySet<number>>(new Set());
  const isMet = (at: number, { value }: Entry) =>
    isPassed || draft.savedValue !== undefined || value !== '' || (wereOpen.has(at) && open !== at);
  const setOpenAt = (at: number, isOpen: boolean) => {
    setWereOpen((before) => new Set([...before, at]));
    setOpen(isOpen ? at : undefined);
  };
  const add = (entry: Entry) => {
    // What was seen takes the place of what was still to be found out.
    const before = entry.value === '' ? entries : entries.filter(({ value }) => value !== '');
    draft.setField(
      ['spec', list],
      [...before, entry].map((each) => writtenEntry(kind, each)),
    );
    setOpenAt(before.length, true);
  };
  const last = entries.at(-1);
  return (
    <>
      <ol className={styles.entries}>
        {entries.map((entry, at) => (
          <MappingEntry
            // biome-ignore lint/suspicious/noArrayIndexKey: entries are told apart by their place alone
            key={at}
            kind={kind}
            preset={preset}
            entry={entry}
            place={at}
            isOpen={open === at && !isReadOnly}
            takesFocus={wereOpen.has(at)}
            isReadOnly={isReadOnly}
            isOnly={entries.length === 1}
            problems={isMet(at, entry) ? problemsOf(problems, `spec.${list}[${at}]`) : []}
            finding={heard && findingOf(kind, entry, at, heard)}
            onOpen={(isOpen) => setOpenAt(at, isOpen)}
            onChange={(name, value) => draft.setField(['spec', list, at, name], value)}
            onRemove={() => {
              setOpen(undefined);
              draft.setField(
                ['spec', list],
                entries.filter((_, other) => other !== at).map((each) => writtenEntry(kind, each)),
              );
            }}
          />
        ))}
      </ol>
      {!isReadOnly && (
        <AddingRow>
          <Button
            tone="ghost"
            size="small"
            icon={Plus}
            onClick={() => add({ from: last?.from ?? 'groups', value: '', roles: [] })}
          >
            {t('connectors.add-entry')}
          </Button>
        </AddingRow>
      )}
      {after?.(add)}
    </>
  );
}

/** The gateway's own word where it has given one; before that, what can be seen from here. */
function findingOf(kind: ConnectorKind, entry: Entry, at: number, { claims, given, unmatched }: Heard): Finding {
  const roles = given?.filter(({ entry: told }) => placeOf(told) === at);
  if (roles && roles.length > 0) return { fits: true, roles };
  if (unmatched?.includes(at)) return { fits: false, roles: [] };
  return { fits: isFound(kind, entry, claims), roles: [] };
}

/** Told by the fields of the entry. */
function problemsOf(problems: readonly Problem[], entry: string): Problem[] {
  return problems
    .filter(({ path = '' }) => path === entry || path.startsWith(`${entry}.`))
    .map((problem) => ({ ...problem, path: (problem.path ?? '').slice(entry.length + 1) }));
}
