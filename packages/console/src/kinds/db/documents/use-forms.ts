/** The fields of each tab. The text of a tab is what is kept; what cannot be read as fields stays one while somebody types. */
import { useCallback, useMemo, useRef, useState } from 'react';
import type { Workbench } from '../workbench/bench/workbench.ts';
import { formOfText, type QueryForm, textOfForm } from './query-form.ts';

export interface Forms {
  of: (slot: number) => QueryForm;
  change: (slot: number, next: Partial<QueryForm>) => void;
}

export function useForms(bench: Workbench, database: string): Forms {
  const known = useRef(new Map<number, { text: string; form: QueryForm }>());
  const usual = useRef(database);
  usual.current = database;
  const [, setChanges] = useState(0);
  const of = useCallback(
    (slot: number): QueryForm => {
      const text = bench.textOf(slot);
      const found = known.current.get(slot);
      // Where nothing stands yet, the database is the one of the session.
      if (found && found.text === text && (text !== '' || found.form.database !== '')) return found.form;
      const form = formOfText(text, usual.current);
      known.current.set(slot, { text, form });
      return form;
    },
    [bench],
  );
  const change = useCallback(
    (slot: number, next: Partial<QueryForm>) => {
      const form = { ...of(slot), ...next };
      const text = textOfForm(form);
      known.current.set(slot, { text, form });
      bench.typed(slot, text);
      setChanges((before) => before + 1);
    },
    [bench, of],
  );
  return useMemo(() => ({ of, change }), [of, change]);
}
