/** A document that is being edited: one text, read as a form, held against what is saved. */
import { useMemo, useState } from 'react';
import { useTranslate } from '../../platform/i18n/words.ts';
import { setInYaml } from './edit-yaml.ts';
import { changedFields, type DocumentValue, type Problem, readDocument } from './read-document.ts';

/** A saved version that changes are held against. */
export interface Base {
  content: string;
  revision?: string | undefined;
}

export interface Draft {
  text: string;
  setText: (text: string) => void;
  /** What the form shows: what the text says, or said when it could last be read. */
  value: DocumentValue;
  isReadable: boolean;
  problems: readonly Problem[];
  setField: (path: readonly (string | number)[], value: unknown) => void;
  /** Several at once, where one is written from another. */
  setFields: (fields: readonly (readonly [path: readonly (string | number)[], value: unknown])[]) => void;
  base: Base | undefined;
  savedValue: DocumentValue | undefined;
  isChanged: boolean;
  /** How many fields differ from the saved ones; at least one where only comments or spaces do. */
  changes: number;
  /** Goes on from another version, with the given text. */
  rebase: (base: Base | undefined, text: string) => void;
}

export function useDraft(initial: Base | undefined, startText: string, handed?: string): Draft {
  const t = useTranslate();
  const [base, setBase] = useState(initial);
  const [text, setText] = useState(handed ?? initial?.content ?? startText);
  const notMap = t('document.not-map');
  const read = useMemo(() => readDocument(text, notMap), [text, notMap]);
  const [lastRead, setLastRead] = useState<DocumentValue>(read.value ?? {});
  if (read.value && read.value !== lastRead) setLastRead(read.value);
  const savedValue = useMemo(() => (base ? readDocument(base.content, notMap).value : undefined), [base, notMap]);
  const isChanged = text !== (base?.content ?? startText);
  const value = read.value ?? lastRead;
  return {
    text,
    setText,
    value,
    isReadable: read.value !== undefined,
    problems: read.problems,
    setField: (path, next) => {
      if (read.value) setText(setInYaml(text, path, next));
    },
    setFields: (fields) => {
      if (read.value) setText(fields.reduce((said, [path, next]) => setInYaml(said, path, next), text));
    },
    base,
    savedValue,
    isChanged,
    changes: isChanged ? Math.max(1, changedFields(savedValue, value).length) : 0,
    rebase(next, nextText) {
      setBase(next);
      setText(nextText);
    },
  };
}
